import type { Role } from '../../../backend/src/common/access/principal.js';
import { createIdAt } from './id-at.js';
import type { HostKey } from '../../../backend/src/transport/keys/host-key.js';
import { EMPTY_PLAN, type PlanContent } from '../../../backend/src/plans/steps/plan-content.js';
import { toWrittenStep } from '../../../backend/src/plans/steps/step-of-request.js';
import { CATALOGUE, type PlanSketch } from './catalogue.js';
import type { Chance } from './chance.js';
import { inventedHostKey } from './invented-host-key.js';

export interface SeedMember {
  id: string;
  email: string;
  name: string;
  role: Role;
  /** Prefix of the token that starts the member's runs; null: the member uses the dashboard. */
  tokenPrefix: string | null;
  address: string;
}

export interface SeedEnvironment {
  id: string;
  name: string;
  description: string;
  protected: boolean;
  at: Date;
  /** Sorted by name, as in runs. */
  servers: SeedServer[];
}

export interface SeedServer {
  id: string;
  name: string;
  hostname: string;
  address: string;
  username: string;
  tags: Record<string, string>;
  hostKey: HostKey;
  at: Date;
}

export interface SeedRevision {
  id: string;
  number: number;
  content: PlanContent;
  author: SeedMember;
  at: Date;
}

export interface SeedPlan {
  id: string;
  name: string;
  sketch: PlanSketch;
  /** Oldest first, at least one. */
  revisions: SeedRevision[];
}

export interface SeedKey {
  id: string;
  name: string;
  type: string;
  publicKey: string;
  fingerprint: string;
}

export interface Landscape {
  environments: SeedEnvironment[];
  plans: SeedPlan[];
  key: SeedKey;
  /** At least one. */
  starters: SeedMember[];
  /** Approves runs in protected environments, and starts none. */
  approver: SeedMember;
}

export interface SeedBasis {
  /** Start of the invented past. */
  from: Date;
  to: Date;
  /** Number of this seeding of the tenant, from 1. From 2 on, it is a suffix of names. */
  turn: number;
  key: SeedKey;
  admin: SeedMember;
  starters: SeedMember[];
  approver: SeedMember;
}

const ENVIRONMENTS = ['production', 'staging', 'testing', 'development', 'training', 'sandbox'];
/** Roles of the servers of a cell. Runs are narrowed to one cell. */
const CELL_ROLES = ['web', 'web', 'web', 'app', 'app', 'db', 'db', 'cache'] as const;
const ZONES = ['a', 'b', 'c'];
const MAX_REVISIONS = 6;
const MINUTE = 60_000;

export const environmentName = (index: number, turn: number): string =>
  `${ENVIRONMENTS[index] ?? `site-${index + 1}`}${turn > 1 ? `-${turn}` : ''}`;
export const planName = ({ name }: PlanSketch, turn: number): string => (turn > 1 ? `${name} ${turn}` : name);
export const keyName = (turn: number): string => (turn > 1 ? `seeded-${turn}` : 'seeded');

interface LandscapeSize {
  environments: number;
  servers: number;
}

/** Invents environments, servers and plans, created within a few minutes after `from`. */
export function inventLandscape(size: LandscapeSize, seedBasis: SeedBasis, chance: Chance): Landscape {
  let at = seedBasis.from.getTime();
  const next = (): Date => new Date((at += Math.ceil(chance.between(500, 2_000))));
  const environments = Array.from({ length: size.environments }, (_, index): SeedEnvironment => {
    const name = environmentName(index, seedBasis.turn);
    const made = next();
    return {
      id: createIdAt(made),
      name,
      description: index === 0 ? 'What customers use. Runs need approval.' : `The shop, for ${name}.`,
      protected: index === 0,
      at: made,
      servers: [],
    };
  });
  for (let index = 0; index < size.servers; index += 1) {
    const environment = environments[index % environments.length] as SeedEnvironment;
    environment.servers.push(inventServer(environment, index, next()));
  }
  for (const { servers } of environments) servers.sort((a, b) => (a.name < b.name ? -1 : 1));
  const { key, starters, approver } = seedBasis;
  const plans = CATALOGUE.map((sketch): SeedPlan => {
    const first = next();
    return {
      id: createIdAt(first),
      name: planName(sketch, seedBasis.turn),
      sketch,
      revisions: inventRevisions(sketch, first, seedBasis, chance),
    };
  });
  return { environments, plans, key, starters, approver };
}

/** Time at which everything exists that the first run needs. */
export const readyAt = ({ plans }: Landscape): Date =>
  new Date(Math.max(...plans.map(({ revisions }) => (revisions[0] as SeedRevision).at.getTime())) + MINUTE);

/** @param index across all environments, for unique addresses */
function inventServer(environment: SeedEnvironment, index: number, at: Date): SeedServer {
  const nth = environment.servers.length;
  const role = CELL_ROLES[nth % CELL_ROLES.length] as string;
  const cell = Math.floor(nth / CELL_ROLES.length) + 1;
  const number = environment.servers.filter(({ tags }) => tags.role === role).length + 1;
  const shortName = `${role}-${String(number).padStart(2, '0')}`;
  const id = createIdAt(at);
  return {
    id,
    name: `${environment.name}-${shortName}`,
    // No real host has names of RFC 2606 or addresses of RFC 2544.
    hostname: `${shortName}.${environment.name}.seeded.invalid`,
    address: `198.18.${Math.floor(index / 250) % 256}.${(index % 250) + 1}`,
    username: 'deploy',
    tags: { role, cell: String(cell), zone: ZONES[nth % ZONES.length] as string },
    hostKey: inventedHostKey(id),
    at,
  };
}

function inventRevisions(sketch: PlanSketch, first: Date, { from, to, admin, starters }: SeedBasis, chance: Chance) {
  const count = 1 + chance.below(MAX_REVISIONS);
  const later = Array.from({ length: count - 1 }, () => Math.round(chance.between(from.getTime(), to.getTime())));
  const times = [
    first.getTime(),
    ...later.map((time) => Math.max(time, first.getTime() + MINUTE)).sort((a, b) => a - b),
  ];
  return times.map((time, index): SeedRevision => {
    const at = new Date(time + index);
    const author = index === 0 ? admin : chance.pick(starters);
    return { id: createIdAt(at), number: index + 1, content: contentOf(sketch, index), author, at };
  });
}

/** Each revision has a longer timeout of the first step than the previous one. */
function contentOf(sketch: PlanSketch, revisionNumber: number): PlanContent {
  const { targets, variables, maxFailPercent, timeoutSeconds } = sketch;
  const steps = sketch.steps.map(({ step }) => toWrittenStep(step));
  const [head, ...rest] = steps as [(typeof steps)[number], ...typeof steps];
  const slowerHead = { ...head, timeoutSeconds: head.timeoutSeconds + 30 * revisionNumber };
  return { ...EMPTY_PLAN, targets, variables, maxFailPercent, timeoutSeconds, steps: [slowerHead, ...rest] };
}

/** Returns the revision that a run freezes when it starts at this time. */
export const revisionAt = ({ revisions }: SeedPlan, at: Date): SeedRevision =>
  revisions.findLast((revision) => revision.at <= at) ?? (revisions[0] as SeedRevision);
