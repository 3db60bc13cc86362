/**
 * The floor plan: who may import whom, and what stands in one file only. `ARCHITECTURE.md` draws it; here it is law.
 *
 * Rooms that are planned are in the table from the first day, so that the first file of a room finds its place decided.
 */
import { codeOf, importsOf, resolveImport, type SourceFile } from "./imports.js";

/** Room → rooms it may import. "index" is `src/index.ts`, the door that holds all doors. */
export const floorPlan: Readonly<Record<string, readonly string[]>> = {
  base: [],
  message: ["base"],
  storage: ["base"],
  meta: ["base", "message", "storage"],
  rocksmq: ["base", "storage", "meta"],
  backend: ["base", "message", "meta", "rocksmq", "storage"],
  stream: ["base", "message", "meta", "backend", "rocksmq"],
  wal: ["base", "message", "meta", "backend", "storage"],
  service: ["base", "message", "storage", "meta", "rocksmq", "backend", "stream", "wal"],
  client: ["base", "message", "meta", "service"],
  testing: ["base"],
  bench: ["base", "message", "storage", "stream", "rocksmq"],
  cli: ["base", "message", "storage", "meta", "rocksmq", "backend", "stream", "wal", "service", "client", "testing", "bench"],
  index: ["base", "message", "meta", "rocksmq", "stream", "wal", "client", "testing"],
};

/** Parts of a room that may do more than their room. */
export const exceptions: Readonly<Record<string, readonly string[]>> = {
  "src/client/embedded": ["wal", "backend", "storage"],
};

/** Packages that come with us, and the rooms they are for. All are plain JavaScript. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  message: ["@bufbuild/protobuf"],
  bench: ["@bufbuild/protobuf"],
};

/** What touches the world, and the files that may. Everybody else gets it through a constructor. */
export const worldly: readonly { readonly what: string; readonly sign: RegExp; readonly where: RegExp }[] = [
  {
    what: "the disk (node:fs)",
    sign: /"node:fs(\/promises)?"/,
    where: /^src\/(base\/(node-vfs|directory-lock|directory-copy|blocking-vfs)\.ts|cli\/|bench\/)/,
  },
  { what: "sockets (node:net)", sign: /"node:(net|http|https|http2|dgram|tls)"/, where: /^src\/(base\/directory-lock\.ts|bench\/)/ },
  { what: "child processes", sign: /"node:(child_process|cluster)"/, where: /^src\/(cli|bench)\// },
  {
    what: "the clock (Date.now, performance.now, hrtime)",
    sign: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/,
    where: /^src\/base\/clock\.ts/,
  },
  { what: "timers", sign: /\bset(Timeout|Interval)\(|"node:timers/, where: /^src\/base\/clock\.ts/ },
  { what: "randomness (Math.random)", sign: /\bMath\.random\b/, where: /^src\/base\/node-vfs\.ts/ },
];

/** Tests and suites that tests run: they may import anything. */
export function isTest(path: string): boolean {
  return /\.(test|deep)\.ts$|\/conformance\//.test(path);
}

/** Every breach of the plan in these files of `src/`, one sentence each; empty when all is well. */
export function breaches(files: readonly SourceFile[]): string[] {
  const sources = files.filter((file) => !isTest(file.path));
  const edges = sources.flatMap((file) =>
    importsOf(file.text).map((specifier) => ({ from: file.path, specifier, to: resolveImport(file.path, specifier) })),
  );
  const inner = edges.flatMap((edge) => (edge.to === undefined ? [] : [{ from: edge.from, to: edge.to }]));
  return [
    ...sources.flatMap(unknownRoom),
    ...inner.flatMap(forbiddenDirection),
    ...inner.flatMap(sideEntrance),
    ...inner.flatMap(testInProduct),
    ...edges.flatMap(({ from, specifier, to }) => (to === undefined ? foreignPackage(from, specifier) : [])),
    ...sources.flatMap(worldlyUse),
    ...fileCycles(inner),
    ...folderCycles(inner),
  ];
}

interface Edge {
  readonly from: string;
  readonly to: string;
}

function roomOf(path: string): string {
  return path.split("/")[1]?.replace(/\.ts$/, "") ?? "";
}

function unknownRoom({ path }: SourceFile): string[] {
  return roomOf(path) in floorPlan ? [] : [`${path}: the room "${roomOf(path)}" is not on the floor plan`];
}

function forbiddenDirection({ from, to }: Edge): string[] {
  const room = roomOf(from);
  const allowed = [room, ...(floorPlan[room] ?? [])];
  for (const [folder, more] of Object.entries(exceptions)) if (from.startsWith(folder)) allowed.push(...more);
  return to.startsWith("src/") && allowed.includes(roomOf(to)) ? [] : [`${from}: may not import ${to}`];
}

/** From outside a room is entered by its index; base is a shelf whose files are taken one by one. */
function sideEntrance({ from, to }: Edge): string[] {
  const room = roomOf(to);
  if (room === roomOf(from) || room === "base") return [];
  // The service room has a second door for those who speak to it over a wire.
  return to === `src/${room}/index.ts` || to === "src/service/rpc/index.ts"
    ? []
    : [`${from}: enters ${room} by ${to}, not by its index.ts`];
}

function testInProduct({ from, to }: Edge): string[] {
  return isTest(to) ? [`${from}: imports the test ${to}`] : [];
}

function foreignPackage(from: string, specifier: string): string[] {
  if (specifier.startsWith("node:") || lentTo(from).some((name) => specifier === name || specifier.startsWith(`${name}/`))) return [];
  return [`${from}: imports the package "${specifier}"; what the default install has, and for whom, is in the floor plan`];
}

function lentTo(path: string): readonly string[] {
  return packages[roomOf(path)] ?? [];
}

function worldlyUse({ path, text }: SourceFile): string[] {
  const code = codeOf(text);
  return worldly.flatMap(({ what, sign, where }) => (sign.test(code) && !where.test(path) ? [`${path}: uses ${what}`] : []));
}

function fileCycles(edges: readonly Edge[]): string[] {
  const cycle = findCycle(edges);
  return cycle === undefined ? [] : [`files import each other: ${cycle.join(" → ")}`];
}

/** Folders beside each other form a graph of their own, at every depth. */
function folderCycles(edges: readonly Edge[]): string[] {
  const siblings = new Map<string, Edge[]>();
  for (const { from, to } of edges) {
    const here = from.split("/").slice(0, -1);
    const there = to.split("/").slice(0, -1);
    let depth = 0;
    while (depth < here.length && here[depth] === there[depth]) depth += 1;
    // One lies directly in a folder above the other: not siblings.
    if (depth >= here.length || depth >= there.length) continue;
    const parent = here.slice(0, depth).join("/");
    siblings.set(parent, [
      ...(siblings.get(parent) ?? []),
      { from: here.slice(0, depth + 1).join("/"), to: there.slice(0, depth + 1).join("/") },
    ]);
  }
  return [...siblings.values()].flatMap((graph) => {
    const cycle = findCycle(graph);
    return cycle === undefined ? [] : [`folders import each other: ${cycle.join(" → ")}`];
  });
}

/** The first cycle found, first name repeated at the end. */
function findCycle(edges: readonly Edge[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    const seenAt = path.indexOf(node);
    if (seenAt >= 0) return [...path.slice(seenAt), node];
    if (done.has(node)) return undefined;
    for (const target of next.get(node) ?? []) {
      const cycle = visit(target, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of next.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
