/** Page or run of the demo that a stop shows. */
export type TourPlace =
  | { to: '/' | '/keys' }
  | { to: '/plans'; search: { q: string } }
  | { to: '/trends'; search: { days: '90' } }
  /** Newest run with the label `demo`. */
  | { run: string };

export interface TourStop {
  title: string;
  text: string;
  place: TourPlace;
  /** Text of the link to the place. */
  link: string;
}

export const TOUR_STOPS: readonly TourStop[] = [
  {
    title: 'See what needs attention',
    text: 'The overview lists one failed deployment on staging, and one that waits for approval in production.',
    place: { to: '/' },
    link: 'Open the overview',
  },
  {
    title: 'Find the failing host',
    text: 'Deploy shop failed on one of three hosts. Select the red cell to read its output: the last line is the cause.',
    place: { run: 'staging-failed' },
    link: 'Open the failed run',
  },
  {
    title: 'Fix it, then rerun one host',
    text: 'Run this plan in staging. Then choose "Rerun this host" on the failed run.',
    place: { to: '/plans', search: { q: 'Clear stale locks' } },
    link: 'Open the plan that fixes it',
  },
  {
    title: 'See what a dry run says',
    text: 'Nothing was changed: the dry run shows the lines of the configuration that would differ on each host.',
    place: { run: 'staging-dry-run' },
    link: 'Open the dry run',
  },
  {
    title: 'Approve this',
    text: 'The admin started this run and cannot approve it. Sign in as the reviewer in a private window: the terminal of the demo shows the login.',
    place: { run: 'production-waiting' },
    link: 'Open the waiting run',
  },
  {
    title: 'Read 60 days of history',
    text: 'Runs with the note "Sample history" are stored samples. Every other run really ran on the demo hosts.',
    place: { to: '/trends', search: { days: '90' } },
    link: 'Open the trends',
  },
  {
    title: 'Replace the SSH key of all hosts',
    text: 'Rotate demo-key: Runward adds the new key to each host, signs in with it, and only then removes the old one. A waiting run keeps the old key until it ends.',
    place: { to: '/keys' },
    link: 'Open the SSH keys',
  },
];
