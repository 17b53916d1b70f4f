/** What a text that describes servers says, before anything is known of the servers that are registered. */

/** Formats that an import reads. */
export const IMPORT_FORMATS = ['json', 'ansible-ini', 'ansible-yaml', 'ansible-json', 'ssh-config'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** What a variable may hold: what an inventory writes as text, number, truth or list of these. */
export type ImportedValue = string | number | boolean | readonly (string | number | boolean)[];

/** A host that is passed on the way to another, the first one nearest to Runward. Null: the text does not say. */
export interface JumpHost {
  readonly host: string;
  readonly port: number | null;
  readonly username: string | null;
}

/** Something of the text that is not carried over, and why. */
export interface NotCarried {
  /** Line in the text, from 1; the first one of several. Null: it has none. */
  readonly line: number | null;
  /** Name of the host or group that it belongs to; null: several, or the whole text. */
  readonly entry: string | null;
  /** Name of what is left out, such as `ansible_winrm_transport`; never its value, which may be a secret. */
  readonly what: string;
  /** Why, in a sentence. */
  readonly reason: string;
  /** In how many places of the text it stands; they are listed as one. */
  readonly places: number;
}

/** A key of a host as a text names it. */
export interface ImportedHostKey {
  /** A public host key line. */
  readonly publicKey: string;
  /** It signs host certificates. */
  readonly certAuthority?: boolean;
}

/** One server as the text describes it. What is undefined, the text does not say. */
export interface ImportedHost {
  readonly line: number | null;
  readonly name: string;
  readonly externalId?: string;
  /** Address as it stands in the text; where it gives none, the name. */
  readonly hostname?: string;
  readonly port?: number;
  readonly username?: string;
  readonly enabled?: boolean;
  readonly legacyAlgorithms?: boolean;
  /** Within the bounds of the setting; null: the default. */
  readonly loginTimeoutSeconds?: number | null;
  readonly tags?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, ImportedValue>>;
  /** A public host key line, which leaves open whether there are others; only JSON has it. */
  readonly hostKey?: string;
  /** All keys that the host may show, and authorities of its certificates; only JSON has it. */
  readonly hostKeys?: readonly ImportedHostKey[];
  /** What the server is reached through, by its external id or its name; null: directly. Only JSON has it. */
  readonly jumpServer?: string | null;
  /** Why the host is not imported, though the text names it. */
  readonly leftOut?: string;
  /** The way there; empty: none is passed, though a group says otherwise. */
  readonly jumps?: readonly JumpHost[];
  /** Why the way there, which the text states, can't be read. */
  readonly unreadWay?: string;
}

/** Why a text is refused as a whole. */
export interface ImportFault {
  readonly line: number | null;
  readonly entry: string | null;
  /** Stable and in snake_case. */
  readonly code: string;
  /** What is wrong and what to do about it, without the line. */
  readonly message: string;
}

/** What a text describes. When `faults` holds any, nothing else of it may be used. */
export interface InventoryText {
  readonly hosts: readonly ImportedHost[];
  readonly notCarried: readonly NotCarried[];
  /** How many further things are not carried over, beyond those that are listed. */
  readonly moreNotCarried: number;
  /** The first faults, in the order of the text. */
  readonly faults: readonly ImportFault[];
  /** How many further faults there are. */
  readonly moreFaults: number;
}

/** What a thread is asked. */
export interface InventoryTextRequest {
  readonly format: ImportFormat;
  readonly content: string;
}

/** Most servers of one text. */
export const MOST_HOSTS = 10_000;
/** Most of `faults` and of `notCarried` that are listed. */
export const MOST_FAULTS = 20;
export const MOST_NOT_CARRIED = 1000;
