import { STEP_TYPES, type StepType } from '../../../src/plans/steps/types/step-types.js';
import type { OneOfEach } from '../one-of-each.js';
import { resolved, type Operation, type Schema } from '../openapi.js';
import { sampleBody } from '../sample-body.js';

type Body = Record<string, unknown>;

/** Placeholder for a number, for names that must be unique. */
export const SERIAL_PLACEHOLDER = '@@SERIAL@@';

const stepsOf = (records: OneOfEach): Body[] => {
  const program = {
    become: 'root',
    workingDirectory: '/srv',
    environment: { LANG: 'C' },
    okExitCodes: [0],
    changedExitCodes: [2],
    unless: 'false',
    check: 'true',
    readOnly: false,
    idempotent: true,
    outputs: ['version'],
  };
  const every = { name: 'Sample', targets: '', when: 'host.name == "a"', timeoutSeconds: 60, batch: '25%' };
  const writing = { path: '/etc/sample', owner: 'root', group: 'root', mode: '0644', unless: 'false' };
  const fields: Record<StepType, Body> = {
    command: { ...every, command: 'echo {{ RELEASE }}', ...program },
    script: { ...every, scriptId: records.scriptId, arguments: ['{{ RELEASE }}'], ...program },
    template: { ...every, templateId: records.templateId, ...writing, validate: 'true %s' },
    file: { ...every, gitSourceId: records.gitSourceId, sourcePath: 'sample.conf', ref: 'main', ...writing },
    wait: { ...every, url: 'http://localhost/' },
    gate: { name: 'Sample', message: 'Go on?' },
    plan: {
      ...{ name: 'Sample', when: 'host.name == "a"', planId: records.planId },
      ...{ variables: { RELEASE: '{{ RELEASE }}' }, outputsFrom: { version: 'one.version' } },
    },
  };
  return STEP_TYPES.map((type) => ({ key: type, type, ...fields[type] }));
};

/** Valid values for fields whose sample value the handlers refuse. */
const VALID_BODY_FIELDS: Record<string, Body> = {
  createMember: { email: `${SERIAL_PLACEHOLDER}@example.test`, password: 'correct horse battery staple' },
  approveExecution: { digest: 'a'.repeat(64) },
  rejectExecution: { digest: 'a'.repeat(64) },
  decideExecution: { stepKey: 'one', pauseSince: '2026-03-14T02:00:00.000Z' },
  // Starts immediately, because hundreds of waiting reruns would accumulate.
  rerunExecution: { fromStepKey: 'one', startAt: undefined },
  previewRerun: { startAt: undefined },
  resolveHost: { stepKey: 'one' },
  setPassword: { password: 'correct horse battery staple' },
  changePassword: { newPassword: 'another horse battery staple' },
  putEnvironmentVariable: { value: 'text', secret: false, type: 'string' },
  createServer: { hostname: `host-${SERIAL_PLACEHOLDER}`, hostKey: undefined },
  updateServer: { hostname: `host-${SERIAL_PLACEHOLDER}` },
  createScript: { interpreter: 'python3' },
  updateScript: { interpreter: 'python3' },
  startExecution: { variables: {}, targets: '', expectedDigest: undefined, startAt: undefined },
  previewTargets: { targets: '' },
  importPlans: {
    ...{
      content: `name: plan-${SERIAL_PLACEHOLDER}\nsteps: [{key: a, command: "true"}]\n`,
      format: 'plan',
      preview: false,
    },
    planId: undefined,
  },
};

/**
 * Returns bodies that the route refuses only because of the state of its records, if at all. Mutations of them
 * therefore reach all validations. Returns several if fields exclude each other.
 */
export function validBodies(operation: Operation, records: OneOfEach): Body[] {
  const schema = operation.body ?? {};
  const named = hasField(schema, 'name') ? { name: `sample ${SERIAL_PLACEHOLDER}` } : {};
  const sample: Body = {
    ...(sampleBody(schema, { ...records }) as Body),
    ...named,
    ...VALID_BODY_FIELDS[operation.operationId],
  };
  if (hasField(schema, 'steps')) {
    const text = { name: 'RELEASE', type: 'string', required: false, default: '1', pattern: '.*', description: 'Text' };
    const choiceVariable = { name: 'COLOUR', type: 'choice', choices: ['a', 'b'], default: 'a' };
    const rest = { targets: 'role=web', locks: ['one'], allowedModes: ['auto'] };
    return [{ ...sample, ...rest, variables: [text, choiceVariable], steps: stepsOf(records) }];
  }
  if (hasField(schema, 'privateKey')) {
    const { generate: _, privateKey, passphrase, ...rest } = sample;
    return [
      { ...rest, generate: { type: 'ed25519' } },
      { ...rest, generate: { type: 'rsa', bits: 3072 } },
      { ...rest, privateKey, passphrase },
    ];
  }
  return [sample];
}

const hasField = (schema: Schema, name: string): boolean => name in (resolved(schema).properties ?? {});
