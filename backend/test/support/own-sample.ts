import type { OneOfEach } from './one-of-each.js';
import type { Operation } from './openapi.js';
import { sampleBody } from './sample-body.js';

/** Returns a valid body with the IDs of the records. It removes nothing that later calls need. */
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
    // Lists of IDs are covered by token-scopes.api.spec.ts.
    ...{ scope: undefined, environmentIds: undefined, planIds: undefined },
    // Starts immediately; schedules use cron.
    ...{ startAt: undefined, queueTimeoutSeconds: undefined, everySeconds: undefined, pausedReason: undefined },
  };
  const steeredPlan = {
    steps: [{ key: 'one', command: 'true' }],
    stepKey: 'one',
    fromStepKey: 'one',
    serverIds: undefined,
    // Servers are selected either by IDs or by environment.
    ids: undefined,
    digest: 'a'.repeat(64),
  };
  // Either a generated or an imported key.
  const made =
    operationId === 'rotateSshKey'
      ? { generate: { type: 'ed25519' }, privateKey: undefined, passphrase: undefined }
      : /^(create|update)(Script|Template)$/.test(operationId)
        ? // Either inline content or its source.
          { content: undefined }
        : operationId.endsWith('GitSource')
          ? { url: 'git@own.invalid:plans.git', token: undefined, user: undefined, webhookSecret: undefined }
          : operationId.endsWith('NotificationRule')
            ? { channel: { type: 'email', to: ['ops@example.test'] }, environmentIds: null, planIds: null }
            : operationId.endsWith('Schedule')
              ? { variables: undefined, targets: undefined }
              : {};
  return body && sampleBody(body, { ...own, ...left, ...steeredPlan, expectedDigest: undefined, ...made });
};
