import { fillPath, type OneOfEach, recordsIn } from './one-of-each.js';
import type { TestMember } from './installation.js';
import { type Operation, operations } from './openapi.js';
import { placesIn, replaced, sampleBody } from './sample-body.js';
import { withReferringStep } from './step-references.js';

/** One id in a call of the API that may lead to something walled. */
export interface Place {
  name: string;
  kind: keyof OneOfEach;
  operation: Operation;
  send(caller: TestMember, id: string): ReturnType<typeof send>;
}

/** Which record a query parameter means that is not called by its kind. */
const IN_QUERIES: Partial<Record<string, keyof OneOfEach>> = { parentId: 'executionId' };

/** What only admins may send of an environment, and what needs more than one record. */
const LEFT_OUT = {
  ...{ access: undefined, protected: undefined, requiredApprovals: undefined, allowSelfApproval: undefined },
  ...{
    approvalTtlSeconds: undefined,
    unknownAuthors: undefined,
    protectionDelaySeconds: undefined,
    legalHold: undefined,
    allowedModes: undefined,
    hostJournal: undefined,
    checkIntervalSeconds: undefined,
    freezeOverride: undefined,
    confirmHosts: undefined,
    windowOverride: undefined,
    runWindows: undefined,
  },
  // A start at once, and a schedule by cron.
  ...{ startAt: undefined, queueTimeoutSeconds: undefined, everySeconds: undefined, pausedReason: undefined },
  // A step of one type does not take the fields of another.
  steps: [{ key: 'one', command: 'true' }],
  ...{ stepKey: 'one', fromStepKey: 'one', serverIds: undefined, digest: 'a'.repeat(64), expectedDigest: undefined },
  // Servers are named by their ids or by their environment.
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
  return caller.api.raw<{ code?: string; items?: unknown[]; cancelled?: unknown[]; errors?: { code: string }[] }>(
    method,
    path,
    json,
    headers,
  );
}

/**
 * Every place of a path, query or body, in all of the document, where the id of such a record goes.
 * @param own the records that everything else of a call is about
 */
export function walledPlaces(walled: readonly (keyof OneOfEach)[], own: () => OneOfEach): Place[] {
  const isWalled = (name: string): name is keyof OneOfEach => walled.includes(name as keyof OneOfEach);
  const sampleOf = ({ body }: Operation): unknown => body && sampleBody(body, { ...own(), ...LEFT_OUT });
  return operations.flatMap((operation) => {
    const { operationId, path, parameters = [], body } = operation;
    const inPath = recordsIn(path)
      .filter(({ kind }) => isWalled(kind))
      .map(({ placeholder, kind }): Place => {
        const address = (id: string) => fillPath(path, own(), { [placeholder]: id });
        const name = `${operationId} {${placeholder}}`;
        return { name, kind, operation, send: (by, id) => send(by, operation, address(id), sampleOf(operation)) };
      });
    const inQuery = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ name, kind: IN_QUERIES[name] ?? name }))
      .filter((parameter): parameter is { name: string; kind: keyof OneOfEach } => isWalled(parameter.kind))
      .map(
        ({ name, kind }): Place => ({
          name: `${operationId} ?${name}`,
          kind,
          operation,
          send: (by, id) => send(by, operation, `${fillPath(path, own())}?${name}=${id}`, sampleOf(operation)),
        }),
      );
    const sample = body && sampleBody(body);
    const inBody = (body ? placesIn(body, sample) : [])
      .filter(({ steps }) => isWalled(String(steps.at(-1))))
      .map(
        ({ steps, pointer }): Place => ({
          name: `${operationId} ${pointer}`,
          kind: steps.at(-1) as keyof OneOfEach,
          operation,
          send: (by, id) => {
            const whole = sampleOf(operation);
            const asked = withReferringStep(whole, steps, id) ?? replaced(whole, steps, id);
            return send(by, operation, fillPath(path, own()), asked);
          },
        }),
      );
    return [...inPath, ...inQuery, ...inBody];
  });
}
