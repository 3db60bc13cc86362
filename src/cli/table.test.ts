import { describe, expect, it } from "vitest";
import { widthOf } from "./cell.js";
import { tableLines } from "./table.js";

const head = [{ title: "CHANNEL" }, { title: "MESSAGES", figures: true }];

describe("tableLines", () => {
  it("aligns text to the left and figures to the right, without blanks at the end", () => {
    expect(
      tableLines(head, [
        ["ATL", "96,204"],
        ["a longer name", "7"],
      ]),
    ).toEqual(["CHANNEL        MESSAGES", "ATL              96,204", "a longer name         7"]);
  });

  it("keeps the head when there is nothing to show", () => {
    expect(tableLines(head, [])).toEqual(["CHANNEL  MESSAGES"]);
  });

  it("takes from the widest column when the terminal is narrow", () => {
    const lines = tableLines(head, [["x".repeat(200), "96,204"]], 40);

    expect(lines.map(widthOf)).toEqual([40, 40]);
    expect(lines[1]).toContain("…");
    expect(lines[1]).toContain("96,204");
  });

  it("never cuts a figure: what does not fit beside it is folded", () => {
    const id = "470807266700034049";
    const idHead = [{ title: "CHANNEL" }, { title: "NEXT ID", figures: true }];

    for (const columns of [1, 10, 20, 28]) expect(tableLines(idHead, [["a".repeat(20), id]], columns).join("\n")).toContain(id);
    expect(tableLines(idHead, [["a".repeat(22), id]], 20)).toEqual(["CHANNEL", "             NEXT ID", "a".repeat(19) + "…", `  ${id}`]);
  });

  it("folds head and rows alike, in as few lines as it takes, each no wider than the terminal", () => {
    const many = [...head, { title: "NEXT ID", figures: true }, { title: "KEEPS" }, { title: "CREATED" }];
    const row = ["ATL", "96,204", "470807266700034049", "7 days", "2026-01-31T08:00:00.000Z"];

    expect(tableLines(many, [row, ["ORD", "", "", "", ""]], 40)).toEqual([
      "CHANNEL  MESSAGES             NEXT ID",
      "  KEEPS   CREATED",
      "ATL        96,204  470807266700034049",
      "  7 days  2026-01-31T08:00:00.000Z",
      "ORD",
    ]);
    expect(tableLines(many, [], 40).every((line) => widthOf(line) <= 40)).toBe(true);
  });

  it("cuts nothing where no width is given", () => {
    expect(tableLines(head, [["x".repeat(200), "1"]])[1]).toContain("x".repeat(200));
  });

  it("shows control characters in names as escapes", () => {
    expect(tableLines([{ title: "" }], [["a\u001b[31m"]])[1]).toBe("a\\u{1b}[31m");
  });
});
