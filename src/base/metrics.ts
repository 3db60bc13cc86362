/** The shape of prom-client's registry use, reduced. A metric is made once and kept; making it is not for the hot path. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): { add(n: number, labels?: Record<string, string>): void };
  gauge(name: string, help: string, labels?: readonly string[]): { set(n: number, labels?: Record<string, string>): void };
  histogram(name: string, help: string, labels?: readonly string[]): { observe(n: number, labels?: Record<string, string>): void };
}

const nothing = (): void => undefined;
const counter = { add: nothing };
const gauge = { set: nothing };
const histogram = { observe: nothing };

/** What is used when nobody collects metrics. */
export const noMetrics: Metrics = { counter: () => counter, gauge: () => gauge, histogram: () => histogram };
