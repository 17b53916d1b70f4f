import { fillPath, type OneOfEach, recordsIn } from './one-of-each.js';
import type { TestMember } from './installation.js';
import { type Operation, operations, requiredQueryOf } from './openapi.js';
import { placesIn, replaced, sampleBody } from './sample-body.js';
import { withReferringStep } from './step-references.js';

/** Position of an ID in an API operation that may refer to an isolated record. */
export interface IdPosition {
  name: string;
  kind: keyof OneOfEach;
  operation: Operation;
  send(caller: TestMember, id: string): ReturnType<typeof send>;
}

/** Records in the answer of a list or of a command for several records. */
export const listIn = (body: {
  items?: unknown;
  cancelled?: unknown;
  blocks?: unknown;
  schedules?: unknown;
}): unknown => body.items ?? body.cancelled ?? body.blocks ?? body.schedules ?? body;

/** Query parameters whose names do not give the kind of the record. */
const ID_KIND_BY_QUERY_NAME: Partial<Record<string, keyof OneOfEach>> = {
  parentId: 'executionId',
  with: 'executionId',
};

/** Omitted fields: those that only admins may send, and those that need several records. */
const OMITTED_FIELDS = {
  ...{ access: undefined, protected: undefined, requiredApprovals: undefined, allowSelfApproval: undefined },
  ...{
    approvalTtlSeconds: undefined,
    unknownAuthors: undefined,
    protectionDelaySeconds: undefined,
    legalHold: undefined,
    override: undefined,
    allowedModes: undefined,
    hostJournal: undefined,
    checkIntervalSeconds: undefined,
    freezeOverride: undefined,
    confirmHosts: undefined,
    windowOverride: undefined,
    runWindows: undefined,
  },
  // Starts immediately; schedules use cron.
  ...{ startAt: undefined, queueTimeoutSeconds: undefined, everySeconds: undefined, pausedReason: undefined },
  // A step accepts only fields of its type.
  steps: [{ key: 'one', command: 'true' }],
  ...{ stepKey: 'one', fromStepKey: 'one', serverIds: undefined, digest: 'a'.repeat(64), expectedDigest: undefined },
  // Servers are selected either by IDs or by environment.
  ids: undefined,
  ...{
    choices: [],
    pattern: undefined,
    generate: undefined,
    hostKey: undefined,
    hostKeys: [],
    jumpServer: undefined,
    variables: undefined,
    targets: undefined,
  },
};

function send(caller: TestMember, { method }: Operation, path: string, body: unknown) {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
  return caller.api.raw<{
    code?: string;
    detail?: string;
    items?: unknown[];
    cancelled?: unknown[];
    errors?: { code: string }[];
  }>(method, path, json, headers);
}

const withQuery = (operation: Operation, path: string, query: Record<string, string> = {}): string =>
  `${path}?${new URLSearchParams({ ...requiredQueryOf(operation), ...query }).toString()}`;

/**
 * Returns all positions in paths, queries and bodies of the document that take the ID of such a record.
 * @param own records for all other IDs of the operation
 */
export function isolatedIdPositions(isolated: readonly (keyof OneOfEach)[], own: () => OneOfEach): IdPosition[] {
  const isIsolated = (name: string): name is keyof OneOfEach => isolated.includes(name as keyof OneOfEach);
  const sampleOf = ({ body }: Operation): unknown => body && sampleBody(body, { ...own(), ...OMITTED_FIELDS });
  return operations.flatMap((operation) => {
    const { operationId, path, parameters = [], body } = operation;
    const inPath = recordsIn(path)
      .filter(({ kind }) => isIsolated(kind))
      .map(({ placeholder, kind }): IdPosition => {
        const address = (id: string) => withQuery(operation, fillPath(path, own(), { [placeholder]: id }));
        const name = `${operationId} {${placeholder}}`;
        return { name, kind, operation, send: (by, id) => send(by, operation, address(id), sampleOf(operation)) };
      });
    const inQuery = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ name, kind: ID_KIND_BY_QUERY_NAME[name] ?? name }))
      .filter((parameter): parameter is { name: string; kind: keyof OneOfEach } => isIsolated(parameter.kind))
      .map(
        ({ name, kind }): IdPosition => ({
          name: `${operationId} ?${name}`,
          kind,
          operation,
          send: (by, id) =>
            send(by, operation, withQuery(operation, fillPath(path, own()), { [name]: id }), sampleOf(operation)),
        }),
      );
    const sample = body && sampleBody(body);
    const inBody = (body ? placesIn(body, sample) : [])
      .filter(({ steps }) => isIsolated(String(steps.at(-1))))
      .map(
        ({ steps, pointer }): IdPosition => ({
          name: `${operationId} ${pointer}`,
          kind: steps.at(-1) as keyof OneOfEach,
          operation,
          send: (by, id) => {
            const whole = sampleOf(operation);
            const changedBody = withReferringStep(whole, steps, id) ?? replaced(whole, steps, id);
            return send(by, operation, fillPath(path, own()), changedBody);
          },
        }),
      );
    return [...inPath, ...inQuery, ...inBody];
  });
}
