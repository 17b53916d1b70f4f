/** What a host told about itself. Null: it did not tell, or nothing that makes sense. All of it is what the host says. */
export interface HostFacts {
  /** `ID` of os-release in lower case, such as debian; macos, freebsd and the like where there is no such file. */
  os: string | null;
  osVersion: string | null;
  /** As people write it: `Debian GNU/Linux 12 (bookworm)`. */
  osName: string | null;
  /** `uname -s` in lower case: linux, darwin, freebsd. */
  kernel: string | null;
  kernelVersion: string | null;
  /** `uname -m`: x86_64, aarch64. */
  arch: string | null;
  cpus: number | null;
  cpuModel: string | null;
  memoryMb: number | null;
  /** Of the file system of `/`. */
  diskTotalMb: number | null;
  diskFreeMb: number | null;
  /** By the host's clock. */
  bootedAt: string | null;
  init: string | null;
  hostname: string | null;
  pythonPath: string | null;
  pythonVersion: string | null;
}

/**
 * Facts that selectors, conditions and commands may use: those that stay as they are from one check to the next. The
 * function `labels_of` of the database names the same.
 */
export const USABLE_FACTS = [
  'os',
  'osVersion',
  'kernel',
  'kernelVersion',
  'arch',
  'cpus',
  'memoryMb',
  'init',
  'hostname',
  'pythonVersion',
] as const satisfies readonly (keyof HostFacts)[];
export type UsableFact = (typeof USABLE_FACTS)[number];

/** How selectors write a fact, and how it stands among the tags that a run has frozen. */
export const FACT_PREFIX = 'facts.';

/** The tags of a server, and its facts beside them. A tag of the same name, from before they were reserved, goes first. */
export function labelsOf(
  { tags, facts }: { tags: Readonly<Record<string, string>>; facts?: HostFacts | null },
  names: readonly UsableFact[] = USABLE_FACTS,
): Record<string, string> {
  const told = names.flatMap((name): [string, string][] => {
    const value = facts?.[name] ?? null;
    return value === null ? [] : [[FACT_PREFIX + name, String(value)]];
  });
  return { ...Object.fromEntries(told), ...tags };
}

/** Those that are numbers, also in conditions; a selector compares them as they are written. */
export const NUMBER_FACTS: readonly string[] = ['cpus', 'memoryMb'] satisfies UsableFact[];

/** The facts that a run has frozen among the tags of a host, by name. */
export function factsAmong(tags: Readonly<Record<string, string>>): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  for (const name of USABLE_FACTS) {
    const key = FACT_PREFIX + name;
    const value = Object.hasOwn(tags, key) ? tags[key] : undefined;
    if (value !== undefined) facts[name] = NUMBER_FACTS.includes(name) ? Number(value) : value;
  }
  return facts;
}
