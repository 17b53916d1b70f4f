import { Injectable } from '@nestjs/common';
import { findHostAddressFault } from '../../../common/network/host-address.js';
import { invalidRequest, Problem } from '../../../common/errors/problem.js';
import { findHiddenCharacterFault } from '../../../common/text/visible-text.js';
import { JobEndedError, toThreadFileUrl, type ThreadJob, ThreadPool } from '../../../common/threads/thread-pool.js';
import { parseRequestedPins } from '../../fields/requested-pins.js';
import { findExternalIdFault } from '../../fields/server-origin.js';
import { USERNAME_PATTERN, USERNAME_MESSAGE } from '../../servers.dto.js';
import { findTagMapFault } from '../../fields/tags.js';
import type { InventoryTextRequest } from '../formats/import-formats.js';
import type { ImportedHost, ImportFault, InventoryText } from '../formats/texts/inventory-text.js';
import { VariableFilter } from './carried-variables.js';
import { type ImportEntry, type NotCarriedRow, MAX_FAULTS, type ImportedServer } from '../orders/import-record.js';

/** The slowest format takes about 2 s for 10,000 servers on an idle machine. */
const READ_TIMEOUT_MS = 20_000;
const READ_INVENTORY_JOB: ThreadJob<InventoryTextRequest, InventoryText> = {
  file: toThreadFileUrl('../formats/inventory-thread', import.meta.url),
  runMs: READ_TIMEOUT_MS,
};
/** Number of jump servers to keep, enough to report that a jump path is too long. */
const MAX_LISTED_JUMPS = 10;
const HOSTS_PER_BATCH = 500;

export interface ReadInventory {
  entries: ImportEntry[];
  notCarried: NotCarriedRow[];
  moreNotCarried: number;
}

/** Reads inventory texts in the thread pool, so that no text can block the event loop. */
@Injectable()
export class InventoryReader {
  constructor(private readonly threads: ThreadPool) {}

  /**
   * @param skipFaulty turns a server that cannot be stored into a skipped entry instead of an error
   * @throws Problem 400 with line and entry of the first errors; 429 `too_many_at_once`, 503 `busy`
   */
  async readInventory(tenantId: string, request: InventoryTextRequest, skipFaulty: boolean): Promise<ReadInventory> {
    const text = await this.threads
      .run(READ_INVENTORY_JOB, request, { tenantId, asks: 'request' })
      .catch((error: unknown) => {
        if (!(error instanceof JobEndedError)) throw error;
        throw toInvalidInventoryProblem(1, [
          {
            line: null,
            entry: null,
            code: '',
            message: `Reading this text takes too much ${error.exceeded}. Split it.`,
          },
        ]);
      });
    if (text.faults.length > 0) throw toInvalidInventoryProblem(text.faults.length + text.moreFaults, text.faults);
    const faults: ImportFault[] = [];
    const entries: ImportEntry[] = [];
    const variables = new VariableFilter();
    for (const [position, host] of text.hosts.entries()) {
      if (position % HOSTS_PER_BATCH === HOSTS_PER_BATCH - 1) await new Promise(setImmediate);
      const { line, leftOut } = host;
      const keys = parseHostKeys(host);
      const found = [...findHostFaults(host), ...('faults' in keys ? keys.faults : [])];
      if (leftOut !== undefined) entries.push({ position, line, wanted: toLeftOutServer(host, leftOut) });
      else if (found.length > 0 && skipFaulty)
        entries.push({ position, line, wanted: toLeftOutServer(host, found.map(({ message }) => message).join(' ')) });
      else if (found.length > 0 || 'faults' in keys) faults.push(...found);
      else
        entries.push({
          position,
          line: host.line,
          wanted: { ...toImportedServer(host, variables.filterVariables(host)), ...keys },
        });
    }
    if (faults.length > 0) throw toInvalidInventoryProblem(faults.length, faults.slice(0, MAX_FAULTS));
    const { notCarried, moreNotCarried } = variables.listNotCarried();
    return {
      entries,
      notCarried: [...notCarried, ...text.notCarried],
      moreNotCarried: text.moreNotCarried + moreNotCarried,
    };
  }
}

const toInvalidInventoryProblem = (count: number, faults: readonly ImportFault[]) =>
  invalidRequest(
    faults.map((fault) => ({
      path: '/content',
      code: 'invalid_inventory',
      message: formatImportFault(fault),
      ...(fault.line === null ? {} : { line: fault.line }),
      ...(fault.entry === null ? {} : { entry: fault.entry }),
    })),
    `The inventory cannot be imported (${count === 1 ? 'one fault' : `${count} faults`}). Nothing was changed.`,
  );

function formatImportFault({ line, entry, message }: ImportFault): string {
  const place = [line === null ? null : `line ${line}`, entry === null ? null : `"${entry}"`]
    .filter(Boolean)
    .join(', ');
  return place === '' ? message : `${place.charAt(0).toUpperCase()}${place.slice(1)}: ${message}`;
}

function findHostFaults(host: ImportedHost): ImportFault[] {
  const { line, name, hostname, username, tags, externalId, port } = host;
  const hidden = findHiddenCharacterFault(name);
  const found: (string | null | undefined | false)[] = [
    hidden !== null && `The name ${hidden}`,
    (name.length > 100 || !/\S/.test(name)) && 'A name must have 1 to 100 characters.',
    hostname !== undefined && findHostAddressFault(hostname),
    username !== undefined && (username.length > 64 || !USERNAME_PATTERN.test(username)) && USERNAME_MESSAGE,
    port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535) && 'port must be from 1 to 65535',
    tags && findTagMapFault(tags),
    externalId !== undefined && findExternalIdFault(externalId),
  ];
  return found
    .filter((each) => typeof each === 'string')
    .map((message) => ({ line, entry: name, code: 'invalid_inventory', message: `${toSentence(message)}` }));
}

const toSentence = (text: string) => (text.endsWith('.') ? text : `${text}.`);

function parseHostKeys({
  line,
  name,
  hostKey,
  hostKeys,
}: ImportedHost): Pick<ImportedServer, 'hostKey' | 'hostKeys'> | { faults: ImportFault[] } {
  try {
    const pins = parseRequestedPins({ hostKey, hostKeys });
    if (pins === undefined) return {};
    return hostKey === undefined ? { hostKeys: pins } : { hostKey: pins[0] };
  } catch (error) {
    const fault = (message: string): ImportFault => ({ line, entry: name, code: 'invalid_inventory', message });
    if (!(error instanceof Problem)) throw error;
    return { faults: (error.extras.errors ?? []).map(({ path, message }) => fault(`${path.slice(1)}: ${message}`)) };
  }
}

const toLeftOutServer = ({ name, externalId }: ImportedHost, reason: string): ImportedServer => ({
  name: name.slice(0, 100),
  ...(externalId === undefined ? {} : { externalId }),
  leftOut: reason,
});

function toImportedServer(
  { line: _, leftOut: __, hostKey: ___, hostKeys: ____, variables: _____, jumps, ...fields }: ImportedHost,
  variables: ImportedServer['variables'],
): ImportedServer {
  return {
    ...fields,
    ...(variables === undefined ? {} : { variables }),
    ...(jumps === undefined ? {} : { jumps: jumps.slice(0, MAX_LISTED_JUMPS).map((jump) => ({ ...jump })) }),
  };
}
