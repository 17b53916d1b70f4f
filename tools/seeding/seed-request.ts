import { isInstant } from '../../backend/src/common/time/instant.js';
import { VISIBLE_LINE_PATTERN } from '../../backend/src/common/text/visible-text.js';
import { StartError } from '../../backend/src/common/database/start-error.js';

export interface SeedRequest {
  /** Name of a new or existing tenant; undefined: a new one with the default name. */
  tenant: string | undefined;
  runs: number;
  environments: number;
  servers: number;
  years: number;
  /** Seed of the random generator; undefined: random. The same seed and `until` produce the same runs. */
  seed?: number | undefined;
  /** End of the invented past; undefined: now. */
  until?: Date | undefined;
}

export const SEED_BOUNDS = {
  runs: { min: 1, max: 2_000_000, usual: 10_000 },
  environments: { min: 1, max: 50, usual: 3 },
  servers: { min: 1, max: 5_000, usual: 24 },
  years: { min: 1, max: 20, usual: 3 },
} as const;

const MAX_SEED = 999_999_999;

export type SeedNumber = keyof typeof SEED_BOUNDS;

const MAX_NAME_LENGTH = 100;

/**
 * Reads the command line's options. Missing options get defaults.
 * @throws StartError with one line per invalid option
 */
export function readSeedRequest(
  seedOptions: Partial<Record<SeedNumber | 'tenant' | 'seed' | 'until', string>>,
): SeedRequest {
  const faults: string[] = [];
  const number = (name: SeedNumber): number => {
    const { min, max, usual } = SEED_BOUNDS[name];
    const text = seedOptions[name];
    if (text === undefined) return usual;
    const value = wholeNumber(text);
    if (value >= min && value <= max) return value;
    faults.push(`--${name} ${text}: give a whole number from ${min} to ${formatted(max)}, such as ${usual}.`);
    return usual;
  };
  const { tenant } = seedOptions;
  if (
    tenant !== undefined &&
    (tenant.trim() !== tenant || !VISIBLE_LINE_PATTERN.test(tenant) || tenant.length > MAX_NAME_LENGTH)
  )
    faults.push(
      `--tenant: give a name of 1 to ${MAX_NAME_LENGTH} characters that neither begins nor ends with a space, such as --tenant seeded.`,
    );
  const seed = seedOptions.seed === undefined ? undefined : wholeNumber(seedOptions.seed);
  if (Number.isNaN(seed))
    faults.push(`--seed ${seedOptions.seed}: give a whole number from 0 to ${formatted(MAX_SEED)}, such as 7.`);
  const { until } = seedOptions;
  if (until !== undefined && !(isInstant(until) && new Date(until) <= new Date()))
    faults.push(`--until ${until}: give a time that is over, with its zone, such as 2026-01-01T00:00:00Z.`);
  const request: SeedRequest = {
    tenant,
    runs: number('runs'),
    environments: number('environments'),
    servers: number('servers'),
    years: number('years'),
    seed,
    until: until === undefined ? undefined : new Date(until),
  };
  if (faults.length === 0 && request.servers < request.environments)
    faults.push(
      `--servers ${request.servers}: each environment needs one, so give at least ${request.environments}, or fewer --environments.`,
    );
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return request;
}

/** Parses up to 9 digits; NaN for other texts. */
const wholeNumber = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

const formatted = (number: number): string => number.toLocaleString('en');
