/**
 * Reads the pages in `docs/` as data: their sections, tables and code blocks.
 */
import { readFileSync } from "node:fs";
import { root } from "../layers/imports.js";

/** A heading of level two and what stands below it. */
export interface Section {
  readonly title: string;
  readonly body: string;
}

/** A page's text; `path` from the repository's root. */
export function readPage(path: string): string {
  return readFileSync(root + path, "utf8");
}

/** The sections of a page, in order. */
export function sectionsOf(page: string): Section[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ title: (text.split("\n")[0] ?? "").trim(), body: text.split("\n").slice(1).join("\n") }));
}

/** The rows of all tables in a text, cells trimmed, without headers and rulers. */
export function tableRows(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  const rows = lines.map((line) =>
    line
      .slice(1, line.lastIndexOf("|"))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  return rows.filter((row, index) => !isRuler(row) && !isRuler(rows[index + 1] ?? []));
}

/** What stands between single backticks in a text. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** The fenced code blocks of a page: their language and their text. */
export function codeBlocks(page: string): { readonly language: string; readonly text: string }[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({ language: match[1] ?? "", text: match[2] ?? "" }));
}

function isRuler(row: readonly string[]): boolean {
  return row.length > 0 && row.every((cell) => /^:?-{3,}:?$/.test(cell));
}
