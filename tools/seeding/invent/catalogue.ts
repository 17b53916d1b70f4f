import type { PlanStepRequest } from '../../../backend/src/plans/steps/plan-step.dto.js';
import type { VariableDefinition } from '../../../backend/src/plans/variables/variable-definition.js';

export interface StepCourse {
  /** Minimum and maximum. */
  seconds: readonly [number, number];
  /** Lines on stdout. `{release}` and `{host}` are placeholders. */
  outputLines: readonly string[];
  /** Possible failures, each with an exit code and the line on stderr. */
  failures: readonly (readonly [exitCode: number, line: string])[];
}

interface StepSketch {
  step: PlanStepRequest;
  course: StepCourse;
}

export interface PlanSketch {
  name: string;
  description: string;
  /** Relative frequency of runs. */
  weight: number;
  /** Fraction of runs that have a single host. */
  single: number;
  targets: string;
  variables: VariableDefinition[];
  maxFailPercent: number;
  timeoutSeconds: number | null;
  steps: readonly StepSketch[];
}

const RELEASE: VariableDefinition = {
  name: 'release',
  type: 'string',
  default: '2026.1',
  description: 'What is rolled out.',
};

const PLAIN_PLAN = { variables: [], maxFailPercent: 0, timeoutSeconds: null, single: 0.5 };
const SERVICE_FAILS = [
  [1, 'Job for shop.service failed because the control process exited with error code.'],
  [5, 'Failed to restart shop.service: Unit shop.service not found.'],
] as const;

/** Plans of an invented web shop. Most have one or two steps, like most real plans. */
export const CATALOGUE: readonly PlanSketch[] = [
  {
    ...PLAIN_PLAN,
    name: 'Deploy shop',
    description: 'Rolls a release of the shop out to the web servers.',
    weight: 9,
    single: 0.25,
    targets: 'role=web',
    variables: [RELEASE],
    timeoutSeconds: 240,
    steps: [
      {
        step: { key: 'fetch', name: 'Fetch the release', command: 'shopctl fetch {{ release }}', timeoutSeconds: 300 },
        course: {
          seconds: [3, 25],
          outputLines: ['Fetching shop {release}', 'Checksum of shop-{release}.tar.gz is right'],
          failures: [
            [2, 'shopctl: https://artifacts.seeded.invalid/shop-{release}.tar.gz: 404 Not Found'],
            [28, 'shopctl: no space left on device'],
          ],
        },
      },
      {
        step: { key: 'switch', name: 'Switch over', command: 'shopctl switch {{ release }}', become: true },
        course: { seconds: [1, 6], outputLines: [], failures: [[1, 'shopctl: release {release} is not unpacked']] },
      },
      {
        step: { key: 'smoke', name: 'Ask for the front page', command: 'shopctl smoke', readOnly: true },
        course: {
          seconds: [1, 8],
          outputLines: ['GET / 200 in 84 ms', 'GET /basket 200 in 112 ms', '{host} serves {release}'],
          failures: [[1, 'GET / 503 after 3 tries']],
        },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Restart application',
    description: 'Restarts the application servers, one after the other.',
    weight: 26,
    single: 0.7,
    targets: 'role=app',
    steps: [
      {
        step: { key: 'restart', name: 'Restart', command: 'systemctl restart shop', become: true, timeoutSeconds: 120 },
        course: { seconds: [2, 20], outputLines: [], failures: SERVICE_FAILS },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Back up databases',
    description: 'Dumps the databases and copies them away.',
    weight: 10,
    targets: 'role=db',
    steps: [
      {
        step: { key: 'dump', name: 'Dump', command: 'pgdump-all /srv/backup', timeoutSeconds: 3_600 },
        course: {
          seconds: [60, 900],
          outputLines: ['dumping shop', 'dumping accounts', '2 databases dumped'],
          failures: [[1, 'pg_dump: error: connection to server failed: FATAL: too many connections']],
        },
      },
      {
        step: {
          key: 'copy',
          name: 'Copy away',
          command: 'rsync -a /srv/backup/ vault:{{ host.name }}/',
          idempotent: true,
        },
        course: {
          seconds: [10, 200],
          outputLines: [],
          failures: [[23, 'rsync error: some files could not be transferred']],
        },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Patch operating system',
    description: 'Installs security updates on all hosts. A few may fail.',
    weight: 1.5,
    single: 0.1,
    targets: '',
    maxFailPercent: 34,
    steps: [
      {
        step: { key: 'refresh', name: 'Refresh package lists', command: 'apt-get update -q', become: true },
        course: {
          seconds: [4, 30],
          outputLines: ['Reading package lists...'],
          failures: [[100, 'E: Could not get lock /var/lib/apt/lists/lock']],
        },
      },
      {
        step: { key: 'upgrade', name: 'Upgrade', command: 'apt-get upgrade -qy', become: true, timeoutSeconds: 1_800 },
        course: {
          seconds: [20, 240],
          outputLines: ['14 upgraded, 0 newly installed, 0 to remove', 'Processing triggers for man-db'],
          failures: [[100, 'E: Sub-process /usr/bin/dpkg returned an error code (1)']],
        },
      },
      {
        step: { key: 'tidy', name: 'Tidy up', command: 'apt-get clean', become: true, always: true },
        course: { seconds: [1, 3], outputLines: [], failures: [[1, 'rm: cannot remove: Read-only file system']] },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Renew certificates',
    description: 'Renews what runs out soon, and reloads the web servers that got a new one.',
    weight: 5,
    targets: 'role=web',
    steps: [
      {
        step: { key: 'renew', name: 'Renew', command: 'certctl renew --within 21d', changedExitCodes: [10] },
        course: {
          seconds: [2, 15],
          outputLines: ['shop.seeded.invalid: renewed, good for 90 days'],
          failures: [[3, 'certctl: the authority answered 429, try again in an hour']],
        },
      },
      {
        step: {
          key: 'reload',
          name: 'Reload the web server',
          command: 'systemctl reload nginx',
          become: true,
          onlyIfChanged: ['renew'],
        },
        course: { seconds: [1, 3], outputLines: [], failures: [[1, 'nginx.service is not active, cannot reload.']] },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Clear caches',
    description: 'Empties the caches.',
    weight: 24,
    targets: 'role=cache',
    steps: [
      {
        step: { key: 'clear', name: 'Clear', command: 'redis-cli flushall', timeoutSeconds: 30 },
        course: {
          seconds: [1, 2],
          outputLines: ['OK'],
          failures: [[1, 'Could not connect to Redis at 127.0.0.1:6379']],
        },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Check disk space',
    description: 'Looks whether a disk is nearly full. Changes nothing.',
    weight: 18,
    single: 0.8,
    targets: '',
    maxFailPercent: 50,
    steps: [
      {
        step: { key: 'look', name: 'Look', command: 'diskcheck --below 10%', readOnly: true, timeoutSeconds: 60 },
        course: {
          seconds: [1, 3],
          outputLines: ['/     41% free', '/srv  27% free'],
          failures: [[1, '/srv: 4% free, wanted 10%']],
        },
      },
    ],
  },
  {
    ...PLAIN_PLAN,
    name: 'Rotate logs',
    description: 'Rotates and compresses what the application wrote.',
    weight: 6,
    single: 0.6,
    targets: 'role in (web, app)',
    steps: [
      {
        step: { key: 'rotate', name: 'Rotate', command: 'logrotate -f /etc/logrotate.d/shop', become: true },
        course: { seconds: [1, 12], outputLines: [], failures: [[1, 'error: stat of /var/log/shop/*.log failed']] },
      },
      {
        step: { key: 'report', name: 'Report disk usage', command: 'du -sh /var/log/shop', readOnly: true },
        course: {
          seconds: [1, 2],
          outputLines: ['212M\t/var/log/shop'],
          failures: [[1, 'du: cannot access /var/log/shop']],
        },
      },
    ],
  },
];
