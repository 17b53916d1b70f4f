import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, endingWith, type HostileHost, startHostileHost } from '../../../test/support/hostile-host.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { HostResultView } from '../contract/results.view.js';

/** A compromised host may lie about itself, but must not harm other hosts of the run. */
const ANSWERS: Record<string, Answer> = {
  'large-code': endingWith((channel) => channel.exit(4_294_967_295)),
  'odd-word': (channel, nonce) => void channel.write(`${nonce} 0 constructor\n`),
  'cut-face': (channel) => {
    channel.write(`${'x'.repeat(119)}😀`);
    channel.exit(1);
    channel.end();
  },
};

const NAMES = Object.keys(ANSWERS);

let lab: RunLab;
let hostile: HostileHost[];
const runs = new Map<string, { run: ExecutionView; results: Map<string, HostResultView> }>();

beforeAll(async () => {
  lab = await startRunLab({ hosts: NAMES.length });
  hostile = await Promise.all(Object.values(ANSWERS).map((answer) => startHostileHost(answer)));
  await lab.runward.worker({ recoverySeconds: 3 });
  await Promise.all(
    NAMES.map(async (name, index) => {
      const { port, hostKey } = hostile[index] as HostileHost;
      const publicKey = `${hostKey.type} ${hostKey.publicKey}`;
      await lab.server({ name, hostname: '127.0.0.1', port, hostKey: { publicKey } });
      const honest = lab.servers[index]?.name ?? '';
      const run = await lab.run(['sleep 0.5; echo fine'], {
        targets: `name in (${honest}, ${name})`,
        onFailure: 'stop',
      });
      const results = await lab.results(run.id);
      runs.set(name, {
        run,
        results: new Map(results.map((each) => [each.serverName === name ? 'hostile' : 'honest', each])),
      });
    }),
  );
});
afterAll(async () => {
  await lab.close();
  await Promise.all(hostile.map((each) => each.stop()));
});

describe('a compromised host', () => {
  it.each(NAMES)('cannot invalidate the results of other hosts: %s', (name) => {
    const seen = runs.get(name);
    expect(seen?.results.get('honest')).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    // A host that accepted the command and then fell silent may have started it.
    const [status, code] = name === 'cut-face' ? ['UNKNOWN', 'hosts_lost'] : ['FAILED', 'hosts_failed'];
    expect(seen?.results.get('hostile')).toMatchObject({ status });
    expect(seen?.run.statusReason?.code).toBe(code);
  });
});
