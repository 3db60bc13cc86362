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

  it("never cuts a figure: what does not fit wraps", () => {
    const id = "470807266700034049";

    for (const columns of [1, 10, 20, 30]) {
      const [, line] = tableLines([{ title: "CHANNEL" }, { title: "NEXT ID", figures: true }], [["a".repeat(20), id]], columns);
      expect(line).toContain(id);
    }
  });

  it("cuts nothing where no width is given", () => {
    expect(tableLines(head, [["x".repeat(200), "1"]])[1]).toContain("x".repeat(200));
  });

  it("shows control characters in names as escapes", () => {
    expect(tableLines([{ title: "" }], [["a\u001b[31m"]])[1]).toBe("a\\u{1b}[31m");
  });
});
