import type { OneOfEach } from './one-of-each.js';
import type { Operation } from './openapi.js';
import { sampleBody } from './sample-body.js';

/** A valid body with the IDs of the records. It takes nothing away that a later call needs. */
export const ownSample = ({ body, operationId }: Operation, own: OneOfEach): unknown => {
  const left = {
    choices: [],
    pattern: undefined,
    generate: undefined,
    hostKey: undefined,
    hostKeys: [],
    jumpServer: undefined,
    disabled: false,
    userId: own.memberId,
    // Lists of ids: token-scopes.api.spec.ts.
    ...{ scope: undefined, environmentIds: undefined, planIds: undefined },
    // A start at once, and a schedule by cron.
    ...{ startAt: undefined, queueTimeoutSeconds: undefined, everySeconds: undefined, pausedReason: undefined },
  };
  // A step of one type does not take the fields of another.
  const steered = {
    steps: [{ key: 'one', command: 'true' }],
    stepKey: 'one',
    fromStepKey: 'one',
    serverIds: undefined,
    // Servers are named by their ids or by their environment.
    ids: undefined,
    digest: 'a'.repeat(64),
  };
  // Either a new key, or one that is brought along.
  const made =
    operationId === 'rotateSshKey'
      ? { generate: { type: 'ed25519' }, privateKey: undefined, passphrase: undefined }
      : /^(create|update)(Script|Template)$/.test(operationId)
        ? // Either a content, or where it stands.
          { content: undefined }
        : operationId.endsWith('GitSource')
          ? { url: 'git@own.invalid:plans.git', token: undefined, user: undefined, webhookSecret: undefined }
          : operationId.endsWith('NotificationRule')
            ? { channel: { type: 'email', to: ['ops@example.test'] }, environmentIds: null, planIds: null }
            : operationId.endsWith('Schedule')
              ? { variables: undefined, targets: undefined }
              : {};
  return body && sampleBody(body, { ...own, ...left, ...steered, expectedDigest: undefined, ...made });
};
