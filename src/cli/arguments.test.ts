import { describe, expect, it } from "vitest";
import { oneOf, parseArguments } from "./arguments.js";
import { UsageError } from "./failure.js";

const command = {
  operands: ["<channel>"],
  options: {
    max: { value: "N", help: "" },
    format: { value: "F", help: "" },
    follow: { help: "" },
    topic: { value: "T", help: "", many: true },
  },
};

describe("parseArguments", () => {
  it("takes operands and options in any order, with a blank or with =", () => {
    const args = parseArguments(command, ["--max", "5", "orders", "--format=table", "--follow"]);

    expect(args.operand("channel")).toBe("orders");
    expect(args.text("max")).toBe("5");
    expect(args.text("format")).toBe("table");
    expect(args.flag("follow")).toBe(true);
    expect(args.flag("verbose")).toBe(false);
  });

  it("takes an option that may be given again as often as it is given", () => {
    expect(parseArguments(command, ["orders", "--topic", "a", "--topic=b"]).texts("topic")).toEqual(["a", "b"]);
    expect(parseArguments(command, ["orders"]).texts("topic")).toEqual([]);
  });

  it("takes everything behind -- as an operand", () => {
    expect(parseArguments(command, ["--", "--follow"]).operand("channel")).toBe("--follow");
  });

  it("gives a last operand with an ellipsis all the words there are", () => {
    const many = { operands: ["<first>", "<rest…>"], options: {} };

    const args = parseArguments(many, ["a", "b", "c"]);

    expect([args.operand("first"), args.operands("rest")]).toEqual(["a", ["b", "c"]]);
    expect(() => parseArguments(many, ["a"])).toThrow(new UsageError("<rest…> is missing"));
  });

  it.each([
    [[], "<channel> is missing"],
    [["a", "b"], '"b" is one word too many'],
    [["a", "--bogus"], "there is no option --bogus"],
    [["a", "-x"], "there is no option -x"],
    [["a", "--toString"], "there is no option --toString"],
    [["a", "--max"], "--max needs a value: --max N"],
    [["a", "--max="], "--max needs a value: --max N"],
    [["a", "--max", "--follow"], "--max needs a value: --max N"],
    [["a", "--follow=yes"], "--follow takes no value"],
    [["a", "--max", "1", "--max", "2"], "--max is given twice"],
  ])("refuses %j and says why", (argv, text) => {
    expect(() => parseArguments(command, argv)).toThrow(UsageError);
    expect(() => parseArguments(command, argv)).toThrow(text);
  });
});

describe("Arguments", () => {
  it("knows a count from everything else", () => {
    const count = (max: string): number | undefined => parseArguments(command, ["a", `--max=${max}`]).count("max", 100);

    expect(count("1")).toBe(1);
    expect(count("100")).toBe(100);
    for (const wrong of ["0", "101", "-1", "1.5", "1e1", "0x1", "five", "99999999999999999999"]) {
      expect(() => count(wrong)).toThrow(`--max is a whole number from 1 to 100, not "${wrong}"`);
    }
  });

  it("falls back to the first choice, and refuses what is none", () => {
    expect(parseArguments(command, ["a"]).choice("format", ["lines", "table"])).toBe("lines");
    expect(() => parseArguments(command, ["a", "--format=xml"]).choice("format", ["lines", "ndjson", "table"])).toThrow(
      '--format is lines, ndjson or table, not "xml"',
    );
  });
});

describe("oneOf", () => {
  it("lists words as people do", () => {
    expect(oneOf(["a"])).toBe("a");
    expect(oneOf(["a", "b", "c"])).toBe("a, b or c");
  });
});
