/** Environments, hosts and people of the demo. */

export const ENVIRONMENTS = [
  { name: 'staging', description: 'Open to every operator. Runs start at once.' },
  {
    name: 'production',
    description: 'Serves the customers. Runs need the approval of a second person.',
    protected: true,
  },
];

export const SERVERS = [
  { name: 'web-1', environment: 'production', hostname: '127.0.1.1', tags: { role: 'web', zone: 'a' } },
  { name: 'web-2', environment: 'production', hostname: '127.0.1.2', tags: { role: 'web', zone: 'b' } },
  { name: 'web-3', environment: 'production', hostname: '127.0.1.3', tags: { role: 'web', zone: 'c' } },
  { name: 'db-1', environment: 'production', hostname: '127.0.1.4', tags: { role: 'db', zone: 'a' } },
  { name: 'staging-web-1', environment: 'staging', hostname: '127.0.2.1', tags: { role: 'web', zone: 'a' } },
  { name: 'staging-web-2', environment: 'staging', hostname: '127.0.2.2', tags: { role: 'web', zone: 'b' } },
  { name: 'staging-web-3', environment: 'staging', hostname: '127.0.2.3', tags: { role: 'web', zone: 'c' } },
  { name: 'staging-db-1', environment: 'staging', hostname: '127.0.2.4', tags: { role: 'db', zone: 'a' } },
];

/** Host with the planted fault: a lock file that an interrupted deployment left. */
export const FAULTY_HOST = '127.0.2.3';
export const STALE_LOCK = 'release 2026.10.9, left by an interrupted deployment';

export const REVIEWER = { email: 'reviewer@demo.runward.local', name: 'Reviewer', role: 'viewer' };
/** Start the sample history. They cannot sign in until an admin sends them a link. */
export const OPERATORS = [
  { email: 'operator-1@demo.runward.local', name: 'First operator', role: 'operator' },
  { email: 'operator-2@demo.runward.local', name: 'Second operator', role: 'operator' },
];

export const COLLECTIONS = [
  { name: 'Shop', description: 'Releases and configuration of the web shop.' },
  { name: 'Operations', description: 'Regular work on all hosts.' },
  { name: 'Examples', description: 'Plans for the examples of the documentation.' },
];
