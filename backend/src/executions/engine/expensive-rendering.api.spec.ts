import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nestedLoops } from '../../../test/support/hostile/expensive-plans.js';
import { loopDelaySettings, readLoopDelay, slowness } from '../../../test/support/hostile/loop-delay.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';

const MAX_DELAY_SECONDS = 50;

let lab: RunLab;
let folder: string;
let socket: string;
const { workProcess, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-expensive-'));
  socket = path.join(folder, 'delay');
  await workProcess(loopDelaySettings(socket));
});
afterAll(async () => {
  await endWorkers();
  await lab.close();
  await rm(folder, { recursive: true, force: true });
});

const steps = (evidence: string): LabStep[] => {
  const costly = nestedLoops(250, 250, '{% if i == j %}x{% endif %}');
  const own = `{{ host.name }}${costly}`;
  return [
    { key: 'command', command: `echo ${own} | md5sum`, unless: `test x = ${own} 2>/dev/null`, check: `true ${own}` },
    { key: 'file', type: 'template', templateId, path: `${evidence}/{{ host.name }}${nestedLoops(600)}` },
    { key: 'condition', command: 'true', when: `long contains host.name${' or list contains "none"'.repeat(70)}` },
  ];
};
let templateId: string;

describe('a worker whose run is expensive to render for each host', () => {
  it.each(['auto', 'dry_run'])('does not block its event loop: %s', async (mode) => {
    const made = await lab.api.post<{ id: string }>('/api/templates', { name: `of ${mode}`, content: 'x' });
    templateId = made.body.id;
    const planId = await lab.plan(steps(lab.evidence), {
      variables: [
        { name: 'long', type: 'string', default: 'x'.repeat(30_000) },
        { name: 'list', type: 'list', default: Array.from({ length: 1000 }, (_, index) => `${index}`) },
      ],
    });
    const { id } = await lab.start(planId, { execution_mode: mode });
    await readLoopDelay(socket);
    const run = await lab.settled(id);
    const delay = await readLoopDelay(socket);
    expect(run.status).toBe('SUCCEEDED');
    process.stdout.write(`The worker's longest delay, ${mode}: ${Math.round(delay)} ms\n`);
    expect(delay).toBeLessThan(MAX_DELAY_SECONDS * slowness());
  });
});
