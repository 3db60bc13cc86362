import { describe, expect, it } from "vitest";
import { commands } from "./command-line.js";
import { commandHelp, familyHelp, programHelp } from "./usage-text.js";

describe("the help", () => {
  it("fits into 80 columns, every line of it", () => {
    const lines = [...programHelp(commands), ...familyHelp(commands), ...commands.flatMap(commandHelp)];

    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(commands.map((command) => [command.words, command] as const))(
    "of %s ends no line of its prose before it is full",
    (_, command) => {
      const help = commandHelp(command);
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
    expect(programHelp(commands).join("\n")).toContain("tidemark trim <channel> --before <id|time>");
  });

  it("names every command, and of each every option", () => {
    const program = programHelp(commands).join("\n");

    for (const command of commands) {
      expect(program).toContain(`tidemark ${command.words}`);
      for (const name of Object.keys(command.options)) expect(commandHelp(command).join("\n")).toContain(`--${name}`);
    }
  });
});
