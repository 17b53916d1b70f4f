/** Plans of the demo. Their steps change only files in the home folder of a demo host, with any POSIX shell. */
import { DUMP, VERIFY_BACKUP, KEEP_NEWEST } from './backup.mjs';
import { CHECK_CERTIFICATE, INSTALL_CERTIFICATE, ISSUE_CERTIFICATE } from './certificates.mjs';
import { CLEAR_LOCK, FETCH, ROLL_BACK, SWITCH } from './deploy.mjs';
import { REFRESH, UPGRADE, VERIFY_PACKAGES } from './packages.mjs';

export const DEPLOY = 'Deploy shop';
export const VHOST = 'Publish web server configuration';
export const PATCH = 'Patch operating system';
export const CERTIFICATES = 'Rotate certificates';
export const BACKUP = 'Back up databases';
const CLEAR = 'Clear stale locks';

/** `{{ home }}` is a variable that each demo server has. */
export const TEMPLATE = {
  name: 'shop virtual host',
  description: 'Configuration of the web server for the shop.',
  content: `server {
    listen 443 ssl;
    server_name {{ server_name }};

    ssl_certificate     {{ home }}/tls/shop.pem;
    ssl_certificate_key {{ home }}/tls/shop.key;

    root {{ home }}/shop/current;
    client_max_body_size {{ max_body }};
    keepalive_timeout {{ keepalive }};

    location /health {
        access_log off;
        try_files /VERSION =503;
    }
}
`,
};

const home = {
  name: 'home',
  type: 'string',
  required: true,
  description: 'Home folder on the demo host. Each server has its own value.',
};

export const PLANS = [
  {
    name: DEPLOY,
    collection: 'Shop',
    description:
      'Unpacks a release on all web servers, then switches one host at a time: drain, switch, health check. A host that fails its check gets its previous release back.',
    targets: 'role=web',
    variables: [
      {
        name: 'release',
        type: 'string',
        default: '2026.11.1',
        pattern: '[0-9]{4}\\.[0-9]{1,2}\\.[0-9]{1,2}',
        description: 'Release of the shop.',
      },
    ],
    timeoutSeconds: 600,
    steps: [
      { key: 'fetch', name: 'Fetch the release', command: FETCH, timeoutSeconds: 60 },
      { key: 'switch', name: 'Drain, switch, check health', command: SWITCH, batch: 1, timeoutSeconds: 60 },
      {
        key: 'rollback',
        name: 'Roll back',
        command: ROLL_BACK,
        when: 'steps.switch.status == "FAILED"',
        always: true,
        timeoutSeconds: 60,
      },
    ],
  },
  {
    name: VHOST,
    collection: 'Shop',
    description: 'Renders the virtual host of the shop. Start it as a dry run to see the lines that would change.',
    targets: 'role=web',
    variables: [
      { name: 'server_name', type: 'string', default: 'shop.example.test' },
      { name: 'max_body', type: 'string', default: '8m', description: 'Largest accepted upload.' },
      { name: 'keepalive', type: 'string', default: '65s' },
      home,
    ],
    steps: [
      {
        key: 'folder',
        name: 'Create the folder',
        command: 'mkdir -p "$HOME/nginx"',
        check: 'test -d "$HOME/nginx"',
        timeoutSeconds: 30,
      },
      {
        key: 'render',
        name: 'Write the virtual host',
        type: 'template',
        template: TEMPLATE.name,
        path: '{{ home }}/nginx/shop.conf',
        mode: '0644',
        backup: true,
        validate: 'grep -q "server_name ." %s',
      },
      {
        key: 'reload',
        name: 'Reload the web server',
        command:
          'date +%FT%T > "$HOME/nginx/reloaded"\necho "Reloaded with $(grep -c . "$HOME/nginx/shop.conf") lines"',
        onlyIfChanged: ['render'],
        timeoutSeconds: 30,
      },
    ],
  },
  {
    name: CLEAR,
    collection: 'Shop',
    description: 'Removes the lock that an interrupted deployment left. Fixes the failing host of the demo.',
    targets: 'role=web',
    steps: [
      {
        key: 'clear',
        name: 'Remove stale locks',
        command: CLEAR_LOCK,
        check: '[ ! -e "$HOME/shop/shared/deploy.lock" ]',
        changedExitCodes: [10],
        timeoutSeconds: 30,
      },
    ],
  },
  {
    name: PATCH,
    collection: 'Operations',
    description:
      'Upgrades packages in batches of half of the hosts. The demo simulates packages with a list in the home folder.',
    maxFailPercent: 25,
    steps: [
      { key: 'refresh', name: 'Refresh the package list', command: REFRESH, timeoutSeconds: 60 },
      {
        key: 'upgrade',
        name: 'Upgrade packages',
        command: UPGRADE,
        batch: '50%',
        changedExitCodes: [10],
        timeoutSeconds: 120,
      },
      { key: 'verify', name: 'Verify versions', command: VERIFY_PACKAGES, readOnly: true, timeoutSeconds: 30 },
    ],
  },
  {
    name: CERTIFICATES,
    collection: 'Operations',
    description: 'Issues a new certificate where the present one is missing or ends within 21 days, and installs it.',
    targets: 'role=web',
    steps: [
      {
        key: 'check',
        name: 'Check the certificate',
        command: CHECK_CERTIFICATE,
        changedExitCodes: [10],
        timeoutSeconds: 30,
      },
      {
        key: 'issue',
        name: 'Issue a certificate',
        command: ISSUE_CERTIFICATE,
        onlyIfChanged: ['check'],
        timeoutSeconds: 60,
      },
      {
        key: 'install',
        name: 'Install and reload',
        command: INSTALL_CERTIFICATE,
        onlyIfChanged: ['issue'],
        timeoutSeconds: 30,
      },
    ],
  },
  {
    name: BACKUP,
    collection: 'Operations',
    description: 'Dumps the orders, restores the dump to a second file and compares both. Keeps the five newest dumps.',
    targets: 'role=db',
    steps: [
      { key: 'dump', name: 'Dump', command: DUMP, outputs: ['file'], timeoutSeconds: 120 },
      { key: 'verify', name: 'Restore and compare', command: VERIFY_BACKUP, readOnly: true, timeoutSeconds: 120 },
      { key: 'prune', name: 'Keep the newest five', command: KEEP_NEWEST, timeoutSeconds: 30 },
    ],
  },
  {
    name: 'Long step',
    collection: 'Examples',
    description: 'Counts for a minute, so that other runs meet it. Changes nothing.',
    steps: [{ key: 'count', name: 'Count to 60', command: 'for n in $(seq 60); do echo "$n"; sleep 1; done' }],
  },
];
