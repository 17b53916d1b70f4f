/**
 * The floors of the house (docs/architecture.md): an arrow between rooms only ever points down.
 * A room not named here fails the check, so that every new one is given a floor.
 */
const floors = [
  ['common', 'transport'],
  ['audit', 'outbox', 'revisions', 'variables'],
  ['tenancy', 'keys', 'collections', 'library'],
  ['environments', 'git-sources'],
  ['auth', 'inventory', 'templates', 'scripts'],
  ['plans'],
  ['executions'],
  ['schedules', 'webhooks', 'notifications'],
  ['seeding'],
];
const top = String.raw`^backend/src/((boot|cli|openapi)/|[^/]+\.ts$)`;
const rooms = floors.flat();
const room = (names) => `^backend/src/(${names.join('|')})/`;
const isTest = String.raw`\.spec\.ts$`;

const upward = floors.map((names, floor) => ({
  name: `no-upward-arrow-from-floor-${floor + 1}`,
  severity: 'error',
  comment: 'A room may import only rooms on lower floors.',
  from: { path: room(names), pathNot: isTest },
  to: { path: [top, ...(floor + 1 < floors.length ? [room(floors.slice(floor + 1).flat())] : [])] },
}));
const sideways = rooms
  .filter((name) => name !== 'common')
  .map((name) => ({
    name: `no-sideways-arrow-from-${name}`,
    severity: 'error',
    comment: 'Neighbours on one floor do not import one another.',
    from: { path: room([name]), pathNot: isTest },
    to: {
      path: room(
        floors
          .find((names) => names.includes(name))
          .filter((other) => other !== name && other !== 'common')
          .concat('none'),
      ),
    },
  }));

/**
 * The order of the sub-rooms within a room, the lowest first; `.` are the files that lie in the room itself. Modules put
 * their room together and import all of it.
 */
const subRooms = {
  auth: [['tokens', 'sessions'], ['login', 'oidc'], ['passwords'], ['.']],
  'common/database': [['migrations'], ['.'], ['boot', 'embedded']],
  'common/errors': [['problems'], ['.']],
  'common/http': [['.'], ['body', 'limits'], ['paging']],
  environments: [['windows', 'protection'], ['.'], ['grants', 'variables', 'protection-changes']],
  executions: [
    ['lifecycle', 'output'],
    ['contract'],
    ['record'],
    ['scopes'],
    ['steps'],
    ['continuation', 'approval', 'guard'],
    ['store'],
    ['engine', 'queries'],
    ['review', 'stream', 'results'],
    ['commands', 'notices'],
    ['retention'],
    ['api'],
  ],
  'executions/commands': [['start'], ['.']],
  'executions/commands/start': [['freezing'], ['.']],
  'executions/engine': [
    ['lease'],
    ['progress'],
    ['connections'],
    ['step'],
    ['recovery'],
    ['host', 'dry-run'],
    ['worker'],
  ],
  'executions/output': [['masking'], ['.']],
  'git-sources': [['urls'], ['mirror'], ['records'], ['sync', 'webhook'], ['.']],
  inventory: [
    ['facts'],
    ['fields'],
    ['selectors', 'machines', 'ports'],
    ['.'],
    ['host-keys'],
    ['variables'],
    ['external', 'export', 'import', 'bulk', 'checks'],
    ['doctor', 'rotation'],
    ['enrolment'],
  ],
  'inventory/import': [['formats'], ['orders'], ['reading', 'planning'], ['applying'], ['.']],
  'inventory/import/formats': [['texts'], ['ansible', 'openssh', 'servers'], ['.']],
  'inventory/rotation': [['host'], ['.']],
  schedules: [['timing'], ['records'], ['.'], ['firing']],
  notifications: [['messages'], ['sending'], ['channels'], ['records'], ['delivery'], ['.']],
  'notifications/delivery': [['recipients'], ['.']],
  plans: [
    ['shell'],
    ['rendering', 'variables'],
    ['steps'],
    ['checks'],
    ['code'],
    ['.'],
    ['exchange'],
    ['folders', 'revisions'],
  ],
  'plans/steps': [['fields'], ['types'], ['.']],
  templates: [['rendering'], ['.']],
  'templates/rendering': [['filters'], ['.']],
  tenancy: [['directory'], ['.'], ['service-accounts']],
  webhooks: [['records'], ['sending'], ['deliveries'], ['.']],
  transport: [['keys'], ['.'], ['journal'], ['command', 'client'], ['connection']],
};
const place = (folder, names) =>
  `^backend/src/${folder}/(?:${names.map((name) => (name === '.' ? '[^/]+$' : `${name}/`)).join('|')})`;
const withinRooms = Object.entries(subRooms).flatMap(([folder, layers]) => [
  ...layers.flatMap((names, layer) =>
    names.map((name) => ({
      name: `order-of-${folder.replace('/', '-')}-${name === '.' ? 'itself' : name}`,
      severity: 'error',
      comment: 'A sub-room may import only what lies below it, see subRooms.',
      from: { path: place(folder, [name]), pathNot: [isTest, String.raw`\.module\.ts$`] },
      to: { path: place(folder, [...names.filter((other) => other !== name), ...layers.slice(layer + 1).flat(), '-']) },
    })),
  ),
  {
    name: `every-room-of-${folder.replace('/', '-')}-has-a-place`,
    severity: 'error',
    from: { path: `^backend/src/${folder}/`, pathNot: [isTest, place(folder, layers.flat())] },
    to: {},
  },
]);

/** Rooms of the front end's larger folders, bottom to top: an import goes down or stays. A folder's own files stand above. */
const frontendRooms = {
  'api/queries': ['access', 'inventory', 'library', 'plans', 'runs', 'automation'],
  ui: [
    'format',
    'copy',
    'diff',
    'status',
    'feedback',
    'page',
    'forms',
    'tables',
    'revisions',
    'variables',
    'environments',
    'collections',
    'git',
    'members',
    'scopes',
    'runs',
  ],
  'features/inventory': [
    ...['facts', 'variables', 'host-key', 'checks', 'doctor', 'form', 'enrolment', 'bulk', 'list', 'page', 'import'],
  ],
  'features/inventory/list': ['filters', 'rows'],
  'features/inventory/import': ['faults', 'form', 'entries'],
  'features/environments': ['windows', 'protection'],
  'features/keys': ['form', 'certificate', 'rotation'],
  'features/schedules': ['times', 'state', 'form'],
  'features/git-sources': ['state', 'form', 'browse', 'plans'],
  'features/plans': [
    'form',
    'history',
    'names',
    'order',
    'steps',
    'text',
    'editor',
    'collections',
    'list',
    'detail',
    'import',
  ],
  'features/executions': [
    ...['run', 'review', 'conflicts', 'dry-run', 'unknown', 'rerun'],
    ...['header', 'pause', 'matrix', 'output', 'start'],
  ],
};
/** Rooms of the command line, bottom to top. */
const cliRooms = ['terminal', 'client', 'config', 'names', 'runs', 'commands'];
const inCli = (names) => `^cli/src/(${names.join('|')})/`;
const cliArrows = [
  ...cliRooms.map((name, index) => ({
    name: `no-upward-arrow-from-cli-${name}`,
    severity: 'error',
    comment: 'A room may import only the rooms below it, and what stands beside them all.',
    from: { path: inCli([name]), pathNot: isTest },
    to: {
      path: [String.raw`^cli/src/(?:main|program|run-program)\.ts$`, inCli([...cliRooms.slice(index + 1), 'none'])],
    },
  })),
  {
    name: 'every-room-of-cli-has-a-place',
    severity: 'error',
    from: { path: '^cli/src/[^/]+/', pathNot: inCli(cliRooms) },
    to: {},
  },
  {
    name: 'cli-is-a-client-of-the-api',
    severity: 'error',
    comment: 'It knows the service by the types and lists that `npm run build:api` generates, and by nothing else.',
    from: { path: '^cli/src/' },
    to: { path: '^(backend|frontend)/src/', pathNot: String.raw`^frontend/src/api/lists\.ts$` },
  },
];

const frontendArrows = Object.entries(frontendRooms).flatMap(([folder, names]) => {
  const inside = `^frontend/src/${folder}/`;
  return [
    ...names.map((name, index) => ({
      name: `no-upward-arrow-from-${folder.split('/').at(-1)}-${name}`,
      severity: 'error',
      comment: 'A room may import only the rooms below it.',
      from: { path: `${inside}${name}/` },
      to: { path: [`${inside}[^/]+$`, ...names.slice(index + 1).map((above) => `${inside}${above}/`)] },
    })),
    {
      name: `every-room-of-${folder.split('/').at(-1)}-has-a-place`,
      severity: 'error',
      from: { path: `${inside}[^/]+/`, pathNot: `${inside}(${names.join('|')})/` },
      to: {},
    },
  ];
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...upward,
    ...sideways,
    ...withinRooms,
    {
      name: 'every-room-has-a-floor',
      severity: 'error',
      from: { path: '^backend/src/[^/]+/', pathNot: [room(rooms), top] },
      to: {},
    },
    {
      name: 'common-does-not-know-transport',
      severity: 'error',
      from: { path: room(['common']), pathNot: isTest },
      to: { path: room(['transport']) },
    },
    {
      name: 'lifecycle-is-pure',
      severity: 'error',
      comment: 'The lifecycle imports nothing outside itself but what an address is, which is as pure.',
      from: { path: '^backend/src/executions/lifecycle/', pathNot: isTest },
      to: { pathNot: String.raw`^backend/src/(executions/lifecycle/|common/network/host-address\.ts$)` },
    },
    {
      name: 'auth-is-not-imported-by-features',
      severity: 'error',
      from: { path: '^backend/src/', pathNot: [room(['auth']), top] },
      to: { path: room(['auth']) },
    },
    {
      name: 'no-feature-to-feature',
      severity: 'error',
      from: { path: '^frontend/src/features/([^/]+)/' },
      to: { path: '^frontend/src/features/', pathNot: '^frontend/src/features/$1/' },
    },
    {
      name: 'frontend-arrows-point-down',
      severity: 'error',
      from: { path: '^frontend/src/features/' },
      to: { path: '^frontend/src/(app/|main)' },
    },
    {
      name: 'frontend-base-knows-no-feature',
      severity: 'error',
      from: { path: '^frontend/src/(access|ui|api)/' },
      to: { path: '^frontend/src/(app|features)/' },
    },
    {
      name: 'frontend-access-is-below-ui',
      severity: 'error',
      from: { path: '^frontend/src/access/' },
      to: { path: '^frontend/src/ui/' },
    },
    {
      name: 'frontend-api-is-the-ground',
      severity: 'error',
      from: { path: '^frontend/src/api/' },
      to: { path: '^frontend/src/(ui|access)/' },
    },
    {
      name: 'frontend-client-knows-no-query',
      severity: 'error',
      from: { path: '^frontend/src/api/[^/]+$' },
      to: { path: '^frontend/src/api/queries/' },
    },
    ...frontendArrows,
    ...cliArrows,
    {
      name: 'frontend-product-imports-no-test',
      severity: 'error',
      from: { path: '^frontend/src/', pathNot: String.raw`\.test\.tsx?$` },
      to: { path: [String.raw`\.test\.tsx?$`, '^frontend/test/', 'node_modules/(vitest|msw|@testing-library)/'] },
    },
    {
      name: 'not-to-undeclared-package',
      severity: 'error',
      from: { path: '^(backend|frontend|cli)/src' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'frontend/src/api/schema\\.ts$' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'backend/tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
