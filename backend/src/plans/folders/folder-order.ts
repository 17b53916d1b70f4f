export interface CallingFile {
  /** Name of the file's plan, in lower case. */
  readonly name: string;
  /** Lower-case names of called plans, with the path of each call. */
  readonly calls: readonly { name: string; at: string }[];
}

/** File in a circle of calls, in which no file can be saved first. */
export interface CallCircle<T> {
  readonly file: T;
  /** Names along the circle, from the file back to itself. */
  readonly path: readonly string[];
  /** Path of the call to the next file of the circle. */
  readonly at: string;
}

/** Sorts files so that called plans come before their callers. Separates circles. */
export function sortCalledFirst<T extends CallingFile>(
  files: readonly T[],
): { ordered: T[]; circles: CallCircle<T>[] } {
  const byName = new Map<string, T>();
  for (const file of files) if (!byName.has(file.name)) byName.set(file.name, file);
  const ordered: T[] = [];
  const circles: CallCircle<T>[] = [];
  for (const group of findCallGroups(files, byName)) {
    for (const file of group) {
      const circle = findCyclePath(file, group, byName);
      if (circle) circles.push({ file, ...circle });
      else ordered.push(file);
    }
  }
  return { ordered, circles };
}

/** Returns Tarjan's strongly connected components in topological order: called components first. */
function findCallGroups<T extends CallingFile>(files: readonly T[], byName: ReadonlyMap<string, T>): T[][] {
  const seen = new Map<T, { index: number; low: number; open: boolean }>();
  const stack: T[] = [];
  const found: T[][] = [];
  const visit = (file: T) => {
    const own = { index: seen.size, low: seen.size, open: true };
    seen.set(file, own);
    stack.push(file);
    for (const { name } of file.calls) {
      const called = byName.get(name);
      if (!called) continue;
      const known = seen.get(called) ?? visit(called);
      if (known.open) own.low = Math.min(own.low, known.low);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const each of group) seen.get(each)!.open = false;
      found.push(group);
    }
    return own;
  };
  for (const file of files) if (!seen.has(file)) visit(file);
  return found;
}

function findCyclePath<T extends CallingFile>(
  file: T,
  group: readonly T[],
  byName: ReadonlyMap<string, T>,
): { path: string[]; at: string } | null {
  const queue: { from: T; path: string[]; at: string | null }[] = [{ from: file, path: [file.name], at: null }];
  const seen = new Set<T>();
  for (const { from, path, at } of queue) {
    for (const call of from.calls) {
      const called = byName.get(call.name);
      if (!called || !group.includes(called) || seen.has(called)) continue;
      const further = { from: called, path: [...path, called.name], at: at ?? call.at };
      if (called === file) return further;
      seen.add(called);
      queue.push(further);
    }
  }
  return null;
}
