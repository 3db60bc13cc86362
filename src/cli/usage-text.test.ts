import { describe, expect, it } from "vitest";
import { commands } from "./command-line.js";
import { commandHelp, familyHelp, helpColumns, programHelp } from "./usage-text.js";

describe("the help", () => {
  it.each([80, 60, 40])("fits into %i columns, every line of it", (columns) => {
    const each = commands.flatMap((command) => commandHelp(command, columns));
    const lines = [...programHelp(commands, columns), ...familyHelp(commands, columns), ...each];

    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  it("is as wide as the terminal, at most 80 columns and at least 40, and 80 in a pipe", () => {
    const widths = [200, 60, 10].map((columns) => helpColumns({ isTerminal: true, columns }));

    expect(widths).toEqual([80, 60, 40]);
    expect(helpColumns({ isTerminal: false, columns: 60 })).toBe(80);
  });

  it.each(commands.map((command) => [command.words, command] as const))(
    "of %s ends no line of its prose before it is full",
    (_, command) => {
      const help = commandHelp(command, 80);
      const lines = help.slice(help.findIndex((line) => line.startsWith("  --help")) + 1);
      const prose = (line: string): boolean => /^\S+ \S/.test(line);

      const early = lines.filter((line, at) => {
        const next = lines[at + 1] ?? "";
        return prose(line) && prose(next) && line.length + 1 + next.split(" ", 1).join().length <= 80;
      });

      expect(early).toEqual([]);
    },
  );

  it("shows in the use of a command what it can't do without", () => {
    expect(programHelp(commands, 80).join("\n")).toContain("tidemark trim <channel> --before <id|time>");
  });

  it("names every command, and of each every option", () => {
    const program = programHelp(commands, 80).join("\n");

    for (const command of commands) {
      expect(program).toContain(`tidemark ${command.words}`);
      for (const name of Object.keys(command.options)) expect(commandHelp(command, 80).join("\n")).toContain(`--${name}`);
    }
  });
});
