/** Layers of the back end, the lowest first (docs/architecture.md). A module without a layer fails the check. */
const layers = [
  ['common', 'transport'],
  ['audit', 'outbox', 'revisions', 'variables'],
  ['tenancy', 'keys', 'collections', 'bookmarks', 'library'],
  ['environments', 'git-sources'],
  ['auth', 'inventory', 'templates', 'scripts'],
  ['plans'],
  ['executions'],
  ['schedules', 'webhooks', 'notifications'],
  ['overview'],
];
const top = String.raw`^backend/src/((boot|backup|cli|openapi)/|[^/]+\.ts$)`;
const modules = layers.flat();
const inModules = (names) => `^backend/src/(${names.join('|')})/`;
const isTest = String.raw`\.spec\.ts$`;

const upwardImports = layers.map((names, layer) => ({
  name: `no-import-of-higher-layer-from-${layer + 1}`,
  severity: 'error',
  comment: 'A module may import only modules of lower layers.',
  from: { path: inModules(names), pathNot: isTest },
  to: { path: [top, ...(layer + 1 < layers.length ? [inModules(layers.slice(layer + 1).flat())] : [])] },
}));
const sidewaysImports = modules
  .filter((name) => name !== 'common')
  .map((name) => ({
    name: `no-import-within-layer-from-${name}`,
    severity: 'error',
    comment: 'Modules of one layer do not import each other.',
    from: { path: inModules([name]), pathNot: isTest },
    to: {
      path: inModules(
        layers
          .find((names) => names.includes(name))
          .filter((other) => other !== name && other !== 'common')
          .concat('none'),
      ),
    },
  }));

/**
 * Order of the subfolders of a folder, the lowest first. `.` are the files of the folder itself. `*.module.ts` files are
 * exempt: they import all parts of their module.
 */
const subfolders = {
  auth: [['tokens', 'sessions'], ['login', 'oidc'], ['passwords'], ['.']],
  common: [
    ['access', 'fairness', 'network', 'text', '.'],
    ['errors', 'time', 'metrics', 'logging'],
    ['crypto'],
    ['settings'],
    ['database'],
    ['http', 'queue', 'threads'],
    ['database/boot', 'idempotency', 'problem-catalogue'],
    ['installation'],
    ['health'],
  ],
  'common/database': [['migrations'], ['.'], ['boot', 'embedded']],
  'common/errors': [['problems', 'reasons'], ['.']],
  'common/http': [['.'], ['body', 'deprecation', 'limits'], ['paging']],
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
    ['commands', 'notices', 'overview'],
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
  'executions/steps': [['shell'], ['types'], ['.']],
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
    ['checks', 'records'],
    ['code'],
    ['formats'],
    ['.'],
    ['exchange'],
    ['folders', 'revisions'],
  ],
  'plans/steps': [['fields'], ['types'], ['.']],
  templates: [['rendering'], ['.']],
  'templates/rendering': [['filters'], ['.']],
  tenancy: [['directory', 'sign-ins'], ['passwords'], ['.'], ['service-accounts']],
  webhooks: [['records'], ['sending'], ['deliveries'], ['.']],
  transport: [['ssh2'], ['keys'], ['.'], ['journal'], ['command', 'client'], ['connection']],
};
/** A nested folder with its own entry, such as `database/boot`, does not count as part of the outer one. */
const withoutNested = (name, all) =>
  all.filter((other) => other.startsWith(`${name}/`)).map((other) => `(?!${other.slice(name.length + 1)}/)`);
const place = (folder, names) => {
  const all = (subfolders[folder] ?? []).flat();
  const patterns = names.map((name) => (name === '.' ? '[^/]+$' : `${name}/${withoutNested(name, all).join('')}`));
  return `^backend/src/${folder}/(?:${patterns.join('|')})`;
};
const subfolderOrder = Object.entries(subfolders).flatMap(([folder, layers]) => [
  ...layers.flatMap((names, layer) =>
    names.map((name) => ({
      name: `order-of-${folder.replace('/', '-')}-${name === '.' ? 'itself' : name}`,
      severity: 'error',
      comment: 'A subfolder may import only lower ones, see subfolders.',
      from: { path: place(folder, [name]), pathNot: [isTest, String.raw`\.module\.ts$`] },
      to: { path: place(folder, [...names.filter((other) => other !== name), ...layers.slice(layer + 1).flat(), '-']) },
    })),
  ),
  {
    name: `every-subfolder-of-${folder.replace('/', '-')}-has-an-order`,
    severity: 'error',
    from: { path: `^backend/src/${folder}/`, pathNot: [isTest, place(folder, layers.flat())] },
    to: {},
  },
]);

/** Order of the subfolders of large front-end folders, the lowest first. The files of the folder itself are highest. */
const frontendSubfolders = {
  'api/queries': ['access', 'inventory', 'library', 'plans', 'runs', 'automation'],
  ui: [
    'format',
    'copy',
    'diff',
    'code',
    'status',
    'feedback',
    'alerts',
    'bookmarks',
    'page',
    'forms',
    'dialogs',
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
    ...[
      'facts',
      'history',
      'variables',
      'host-key',
      'checks',
      'doctor',
      'form',
      'enrolment',
      'bulk',
      'list',
      'page',
      'import',
    ],
  ],
  'features/inventory/list': ['filters', 'rows'],
  'features/inventory/import': ['faults', 'form', 'entries'],
  'features/environments': ['windows', 'protection'],
  'features/keys': ['form', 'certificate', 'rotation'],
  'features/schedules': ['times', 'state', 'calendar', 'form'],
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
    'outline',
    'detail',
    'import',
  ],
  'features/executions': [
    ...['run', 'review', 'conflicts', 'dry-run', 'unknown', 'rerun'],
    ...['failures', 'output', 'compare', 'report'],
    ...['header', 'pause', 'timeline', 'matrix', 'start'],
  ],
};
/** Order of the folders of the command line, the lowest first. The files of `cli/src` itself are highest. */
const cliFolders = ['terminal', 'client', 'config', 'names', 'runs', 'commands'];
const inCli = (names) => `^cli/src/(${names.join('|')})/`;
const cliOrder = [
  ...cliFolders.map((name, index) => ({
    name: `no-import-of-higher-folder-from-cli-${name}`,
    severity: 'error',
    comment: 'A folder may import only lower folders.',
    from: { path: inCli([name]), pathNot: isTest },
    to: {
      path: [String.raw`^cli/src/[^/]+\.ts$`, inCli([...cliFolders.slice(index + 1), 'none'])],
    },
  })),
  {
    name: 'every-subfolder-of-cli-has-an-order',
    severity: 'error',
    from: { path: '^cli/src/[^/]+/', pathNot: inCli(cliFolders) },
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

const frontendOrder = Object.entries(frontendSubfolders).flatMap(([folder, names]) => {
  const inside = `^frontend/src/${folder}/`;
  return [
    ...names.map((name, index) => ({
      name: `no-import-of-higher-subfolder-from-${folder.split('/').at(-1)}-${name}`,
      severity: 'error',
      comment: 'A subfolder may import only lower ones.',
      from: { path: `${inside}${name}/` },
      to: { path: [`${inside}[^/]+$`, ...names.slice(index + 1).map((above) => `${inside}${above}/`)] },
    })),
    {
      name: `every-subfolder-of-${folder.split('/').at(-1)}-has-an-order`,
      severity: 'error',
      from: { path: `${inside}[^/]+/`, pathNot: `${inside}(${names.join('|')})/` },
      to: {},
    },
  ];
});

/** Libraries and parts of libraries, with the only files that may import them. Tests are exempt. */
const restrictedLibraries = [
  ['node-ssh', 'node-ssh/', String.raw`^backend/src/transport/connection/ssh-connection\.ts$`],
  ['ssh2-internals', 'ssh2/(lib/(?!index\\.js$)|package\\.json$)', '^backend/src/transport/ssh2/'],
  ['ssh2', '(@types/)?ssh2/', '^backend/src/transport/'],
  ['passport', '(@nestjs/passport|(@types/)?passport[^/]*)/', String.raw`^backend/src/auth/authentication\.ts$`],
].map(([name, library, owner]) => ({
  name: `restricted-library-${name}`,
  severity: 'error',
  from: { path: '^backend/src/', pathNot: [isTest, owner] },
  to: { path: `(^|/)node_modules/${library}` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...upwardImports,
    ...sidewaysImports,
    ...subfolderOrder,
    {
      name: 'every-module-has-a-layer',
      severity: 'error',
      from: { path: '^backend/src/[^/]+/', pathNot: [inModules(modules), top] },
      to: {},
    },
    {
      name: 'product-does-not-know-tools',
      severity: 'error',
      from: { path: '^(backend|frontend|cli)/src/', pathNot: isTest },
      to: { path: '^tools/' },
    },
    {
      name: 'common-does-not-know-transport',
      severity: 'error',
      from: { path: inModules(['common']), pathNot: isTest },
      to: { path: inModules(['transport']) },
    },
    {
      name: 'lifecycle-is-pure',
      severity: 'error',
      comment: 'The lifecycle imports only itself, the type of reasons and the pure rules of host addresses.',
      from: { path: '^backend/src/executions/lifecycle/', pathNot: isTest },
      to: {
        pathNot: String.raw`^backend/src/(executions/lifecycle/|common/network/host-address\.ts$|common/http/reason\.view\.ts$)`,
      },
    },
    ...restrictedLibraries,
    {
      name: 'plan-formats-are-imported-by-their-list',
      severity: 'error',
      comment: 'Only the list of formats imports the conversion of a product.',
      from: {
        path: '^backend/src/',
        pathNot: [isTest, String.raw`^backend/src/plans/formats/([^/]+/|plan-formats\.ts$)`],
      },
      to: { path: '^backend/src/plans/formats/[^/]+/' },
    },
    {
      name: 'auth-is-not-imported-by-features',
      severity: 'error',
      from: { path: '^backend/src/', pathNot: [inModules(['auth']), top] },
      to: { path: inModules(['auth']) },
    },
    {
      name: 'no-feature-to-feature',
      severity: 'error',
      from: { path: '^frontend/src/features/([^/]+)/' },
      to: { path: '^frontend/src/features/', pathNot: '^frontend/src/features/$1/' },
    },
    {
      name: 'frontend-features-do-not-import-app',
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
      name: 'frontend-api-is-lowest',
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
    ...frontendOrder,
    ...cliOrder,
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
