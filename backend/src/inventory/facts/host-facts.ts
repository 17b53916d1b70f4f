/** Facts that a host reported. They are not verified. Null = not reported or not plausible. */
export interface HostFacts {
  /** `ID` of os-release in lower case, such as debian. Without that file: macos, freebsd and similar. */
  os: string | null;
  osVersion: string | null;
  osName: string | null;
  /** `uname -s` in lower case: linux, darwin, freebsd. */
  kernel: string | null;
  kernelVersion: string | null;
  /** `uname -m`: x86_64, aarch64. */
  arch: string | null;
  cpus: number | null;
  cpuModel: string | null;
  memoryMb: number | null;
  /** Size of the file system of `/`, in MiB. */
  diskTotalMb: number | null;
  diskFreeMb: number | null;
  /** Boot time by the clock of the host. */
  bootedAt: string | null;
  init: string | null;
  hostname: string | null;
  pythonPath: string | null;
  pythonVersion: string | null;
}

/**
 * Facts that selectors, conditions and commands can use: those that rarely change between checks. The database function
 * `labels_of` lists the same names.
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

export const FACT_PREFIX = 'facts.';

/** Merges tags and facts of a server. A tag with the name of a fact is older than the reserved prefix, and wins. */
export function toSelectorLabels(
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

export function pickFacts(tags: Readonly<Record<string, string>>): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  for (const name of USABLE_FACTS) {
    const key = FACT_PREFIX + name;
    const value = Object.hasOwn(tags, key) ? tags[key] : undefined;
    if (value !== undefined) facts[name] = NUMBER_FACTS.includes(name) ? Number(value) : value;
  }
  return facts;
}

/** Matches `facts.os` and `host.facts["os"]`. A `host.facts` without a name counts as use of all facts. */
const FACT_REFERENCE_PATTERN = /facts["']?\]?\s*(?:\.\s*|\[\s*["'])(\w+)/g;
const HOST_FACT_REFERENCE_PATTERN = /\bhost\s*(?:\.\s*|\[\s*["'])facts\b["'\]]*\s*(?:(?:\.\s*|\[\s*["'])(\w+))?/g;

/**
 * Returns the facts that selectors and templates in these texts may use. The result may contain unused facts, but
 * misses none.
 */
export function findUsedFacts(...texts: readonly unknown[]): UsableFact[] {
  const rendered = findRenderedFacts(...texts);
  return findNamedFacts(texts, FACT_REFERENCE_PATTERN, new Set<string>(rendered));
}

export function findRenderedFacts(...texts: readonly unknown[]): UsableFact[] {
  return findNamedFacts(texts, HOST_FACT_REFERENCE_PATTERN, new Set());
}

function findNamedFacts(texts: readonly unknown[], pattern: RegExp, found: Set<string>): UsableFact[] {
  for (const text of listTexts(texts))
    for (const [, name] of text.matchAll(pattern)) for (const each of name ? [name] : USABLE_FACTS) found.add(each);
  return USABLE_FACTS.filter((name) => found.has(name));
}

function* listTexts(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value) as unknown[]) yield* listTexts(each);
}
