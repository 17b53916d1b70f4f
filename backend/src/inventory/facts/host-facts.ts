/** Facts that a host reported, not verified. Null = not reported or not plausible. */
export interface HostFacts {
  /** `ID` of os-release in lower case, such as debian. Without that file: macos, freebsd and similar. */
  os: string | null;
  osVersion: string | null;
  /** Display name: `Debian GNU/Linux 12 (bookworm)`. */
  osName: string | null;
  /** `uname -s` in lower case: linux, darwin, freebsd. */
  kernel: string | null;
  kernelVersion: string | null;
  /** `uname -m`: x86_64, aarch64. */
  arch: string | null;
  cpus: number | null;
  cpuModel: string | null;
  memoryMb: number | null;
  /** Size of the file system of `/`. */
  diskTotalMb: number | null;
  diskFreeMb: number | null;
  /** By the clock of the host. */
  bootedAt: string | null;
  init: string | null;
  hostname: string | null;
  pythonPath: string | null;
  pythonVersion: string | null;
}

/**
 * Facts for selectors, conditions and commands: those that are stable between checks. The database function `labels_of`
 * lists the same names.
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

/** Prefix of facts in selectors and among the frozen tags of a run. */
export const FACT_PREFIX = 'facts.';

/**
 * Merges tags and facts of a server. A tag wins over a fact of the same name; such tags predate the reserved prefix.
 */
export function labelsOf(
  { tags, facts }: { tags: Readonly<Record<string, string>>; facts?: HostFacts | null },
  names: readonly UsableFact[] = USABLE_FACTS,
): Record<string, string> {
  const factLabels = names.flatMap((name): [string, string][] => {
    const value = facts?.[name] ?? null;
    return value === null ? [] : [[FACT_PREFIX + name, String(value)]];
  });
  return { ...Object.fromEntries(factLabels), ...tags };
}

/** Facts that are numbers in conditions. Selectors compare them as text. */
export const NUMBER_FACTS: readonly string[] = ['cpus', 'memoryMb'] satisfies UsableFact[];

export function factsAmong(tags: Readonly<Record<string, string>>): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  for (const name of USABLE_FACTS) {
    const key = FACT_PREFIX + name;
    const value = Object.hasOwn(tags, key) ? tags[key] : undefined;
    if (value !== undefined) facts[name] = NUMBER_FACTS.includes(name) ? Number(value) : value;
  }
  return facts;
}
