/** Sample history: how often each plan ran, and why it failed. */
import { BACKUP, CERTIFICATES, DEPLOY, PATCH, VHOST } from './plans.mjs';

const RELEASES = ['2026.9.4', '2026.9.5', '2026.10.1', '2026.10.2', '2026.10.4', '2026.10.6', '2026.10.7', '2026.10.9'];

export const PAST = [
  {
    plan: DEPLOY,
    weekly: { staging: 6, production: 3 },
    replace: { text: '2026.11.0', by: RELEASES },
    failing: 0.14,
    failures: [
      {
        step: 'fetch',
        exitCode: 1,
        stderr: ["mkdir: cannot create directory '{release}.new': No space left on device"],
      },
      {
        step: 'switch',
        exitCode: 1,
        stderr: ['health check: 500, checkout of release {release} lacks the payment key'],
        after: { rollback: ['rolled back to the previous release, back in service'] },
      },
    ],
  },
  {
    plan: VHOST,
    weekly: { staging: 1.2, production: 0.7 },
    failing: 0.1,
    failures: [{ step: 'reload', exitCode: 1, stderr: ['nginx: [emerg] host not found in upstream "checkout"'] }],
  },
  {
    plan: PATCH,
    weekly: { staging: 1.5, production: 1 },
    failing: 0.15,
    failures: [
      { step: 'refresh', exitCode: 100, stderr: ['E: Could not get lock /var/lib/apt/lists/lock on {host}'] },
      {},
    ],
  },
  {
    plan: CERTIFICATES,
    weekly: { staging: 1, production: 1 },
    failing: 0.12,
    failures: [{ step: 'issue', exitCode: 3, stderr: ['The authority answered 429: too many requests, retry in 1 h'] }],
  },
  {
    plan: BACKUP,
    weekly: { staging: 7, production: 7 },
    failing: 0.05,
    failures: [
      { step: 'dump', exitCode: 1, stderr: ['gzip: backup: No space left on device'] },
      { step: 'verify', exitCode: 1, stderr: ['The restored file differs from the database.'] },
    ],
  },
];
