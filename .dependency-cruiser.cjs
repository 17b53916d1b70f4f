/**
 * The floors of the house (docs/architecture.md): an arrow between rooms only ever points down.
 * A room not named here fails the check, so that every new one is given a floor.
 */
const floors = [
  ['common', 'transport'],
  ['audit'],
  ['tenancy', 'keys', 'collections'],
  ['environments', 'git-sources', 'auth'],
  ['inventory', 'templates', 'scripts'],
  ['plans'],
  ['executions'],
  ['seeding'],
];
const top = String.raw`^backend/src/[^/]+\.ts$`;
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

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...upward,
    ...sideways,
    {
      name: 'every-room-has-a-floor',
      severity: 'error',
      from: { path: '^backend/src/[^/]+/', pathNot: room(rooms) },
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
      name: 'frontend-api-is-the-ground',
      severity: 'error',
      from: { path: '^frontend/src/api/' },
      to: { path: '^frontend/src/(ui|access)/' },
    },
    {
      name: 'not-to-undeclared-package',
      severity: 'error',
      from: { path: '^(backend|frontend)/src' },
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
