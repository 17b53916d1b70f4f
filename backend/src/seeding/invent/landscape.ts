import type { Role } from '../../common/access/principal.js';
import { idAt } from './id-at.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import { EMPTY_PLAN, type PlanContent } from '../../plans/steps/plan-content.js';
import { stepOf } from '../../plans/steps/step-of-request.js';
import { CATALOGUE, type PlanSketch } from './catalogue.js';
import type { Chance } from './chance.js';
import { inventedHostKey } from './invented-host-key.js';
import type { SeedRequest } from '../seed-request.js';

/** A member, as runs and entries of the trail name them. */
export interface SeedMember {
  id: string;
  email: string;
  name: string;
  role: Role;
  /** Of the token that they start runs by; null: they do so in the dashboard. */
  tokenPrefix: string | null;
  address: string;
}

export interface SeedEnvironment {
  id: string;
  name: string;
  description: string;
  protected: boolean;
  at: Date;
  /** By name, as runs are on them. */
  servers: SeedServer[];
}

export interface SeedServer {
  id: string;
  name: string;
  hostname: string;
  /** Where it is reached. */
  address: string;
  username: string;
  tags: Record<string, string>;
  hostKey: HostKey;
  at: Date;
}

/** A save of a plan. */
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

/** Everything that runs are about: what stood in the tenant while they ran. */
export interface Landscape {
  environments: SeedEnvironment[];
  plans: SeedPlan[];
  key: SeedKey;
  /** Who starts runs: at least one. */
  starters: SeedMember[];
  /** Who approves runs in protected environments, and starts none. */
  approver: SeedMember;
}

/** What a landscape is made around. */
export interface Ground {
  /** When everything began. */
  from: Date;
  to: Date;
  /** The how manieth seed of the tenant it is, from 1: names of later ones carry the number. */
  turn: number;
  key: SeedKey;
  admin: SeedMember;
  starters: SeedMember[];
  approver: SeedMember;
}

const ENVIRONMENTS = ['production', 'staging', 'testing', 'development', 'training', 'sandbox'];
/** Roles of the servers of a cell, which is what runs are narrowed to. */
const CELL = ['web', 'web', 'web', 'app', 'app', 'db', 'db', 'cache'] as const;
const ZONES = ['a', 'b', 'c'];
/** Most saves of a plan, over the years. */
const MOST_REVISIONS = 6;
const MINUTE = 60_000;

export const environmentName = (index: number, turn: number): string =>
  `${ENVIRONMENTS[index] ?? `site-${index + 1}`}${turn > 1 ? `-${turn}` : ''}`;
export const planName = ({ name }: PlanSketch, turn: number): string => (turn > 1 ? `${name} ${turn}` : name);
export const keyName = (turn: number): string => (turn > 1 ? `seeded-${turn}` : 'seeded');

/** Invents what runs are about. The setting up took a few minutes. */
export function inventLandscape(request: SeedRequest, ground: Ground, chance: Chance): Landscape {
  let at = ground.from.getTime();
  const next = (): Date => new Date((at += Math.ceil(chance.between(500, 2_000))));
  const environments = Array.from({ length: request.environments }, (_, index): SeedEnvironment => {
    const name = environmentName(index, ground.turn);
    const made = next();
    return {
      id: idAt(made),
      name,
      description: index === 0 ? 'What customers use. Runs need approval.' : `The shop, for ${name}.`,
      protected: index === 0,
      at: made,
      servers: [],
    };
  });
  for (let index = 0; index < request.servers; index += 1) {
    const environment = environments[index % environments.length] as SeedEnvironment;
    environment.servers.push(inventServer(environment, index, next()));
  }
  for (const { servers } of environments) servers.sort((a, b) => (a.name < b.name ? -1 : 1));
  const { key, starters, approver } = ground;
  const plans = CATALOGUE.map((sketch): SeedPlan => {
    const first = next();
    return {
      id: idAt(first),
      name: planName(sketch, ground.turn),
      sketch,
      revisions: inventRevisions(sketch, first, ground, chance),
    };
  });
  return { environments, plans, key, starters, approver };
}

/** From when on everything stands that the first run needs. */
export const readyAt = ({ plans }: Landscape): Date =>
  new Date(Math.max(...plans.map(({ revisions }) => (revisions[0] as SeedRevision).at.getTime())) + MINUTE);

/** @param index over all environments, so that no two have one address */
function inventServer(environment: SeedEnvironment, index: number, at: Date): SeedServer {
  const nth = environment.servers.length;
  const role = CELL[nth % CELL.length] as string;
  const cell = Math.floor(nth / CELL.length) + 1;
  const number = environment.servers.filter(({ tags }) => tags.role === role).length + 1;
  const short = `${role}-${String(number).padStart(2, '0')}`;
  const id = idAt(at);
  return {
    id,
    name: `${environment.name}-${short}`,
    // RFC 2606 and 2544: no name of a host that anybody has, no network that is routed.
    hostname: `${short}.${environment.name}.seeded.invalid`,
    address: `198.18.${Math.floor(index / 250) % 256}.${(index % 250) + 1}`,
    username: 'deploy',
    tags: { role, cell: String(cell), zone: ZONES[nth % ZONES.length] as string },
    hostKey: inventedHostKey(id),
    at,
  };
}

function inventRevisions(sketch: PlanSketch, first: Date, { from, to, admin, starters }: Ground, chance: Chance) {
  const count = 1 + chance.below(MOST_REVISIONS);
  const later = Array.from({ length: count - 1 }, () => Math.round(chance.between(from.getTime(), to.getTime())));
  const times = [
    first.getTime(),
    ...later.map((time) => Math.max(time, first.getTime() + MINUTE)).sort((a, b) => a - b),
  ];
  return times.map((time, index): SeedRevision => {
    const at = new Date(time + index);
    const author = index === 0 ? admin : chance.pick(starters);
    return { id: idAt(at), number: index + 1, content: contentOf(sketch, index), author, at };
  });
}

/** What each save changed: the time that the first step may take. */
function contentOf(sketch: PlanSketch, saves: number): PlanContent {
  const { targets, variables, maxFailPercent, timeoutSeconds } = sketch;
  const steps = sketch.steps.map(({ step }) => stepOf(step));
  const [head, ...rest] = steps as [(typeof steps)[number], ...typeof steps];
  const slower = { ...head, timeoutSeconds: head.timeoutSeconds + 30 * saves };
  return { ...EMPTY_PLAN, targets, variables, maxFailPercent, timeoutSeconds, steps: [slower, ...rest] };
}

/** The revision that a run freezes which is started then. */
export const revisionAt = ({ revisions }: SeedPlan, at: Date): SeedRevision =>
  revisions.findLast((revision) => revision.at <= at) ?? (revisions[0] as SeedRevision);
