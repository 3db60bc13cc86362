/** The shape of pino, console and others. Fields first: what can be searched for; then a sentence for a person. */
export interface Logger {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

const nothing = (): void => undefined;

/** What is used when nobody gives a logger. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
