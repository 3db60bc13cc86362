import { expect, it } from "vitest";
import { isWellFormed } from "./well-formed.js";

it("a text is well-formed exactly when its UTF-8 reads back as itself", () => {
  for (const text of [
    "",
    "a",
    "é",
    "\u0000",
    "\uffff",
    "\ufffd",
    "\u{1f600}",
    "\ud800",
    "\udc00",
    "a\ud83d",
    "\ude00\ud83d",
    "\ud83d\ud83d\ude00",
  ]) {
    expect(isWellFormed(text)).toBe(Buffer.from(text).toString() === text);
  }
});
