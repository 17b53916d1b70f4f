/** Step of the demo plan. Like the other steps, it runs in any Linux shell and changes nothing. */
const FACTS = `. /etc/os-release
echo "$PRETTY_NAME, kernel $(uname -r)"
echo "$(grep -c ^processor /proc/cpuinfo) processors, load $(cut -d' ' -f1-3 /proc/loadavg)"
echo "up $(($(cut -d. -f1 /proc/uptime) / 60)) minutes, signed in as $(id -un)"`;

const ROLL_OUT = `echo Rolling out release {{ release }}
done_so_far=
for part in assets pages search sitemap images feeds; do
  sleep 0.6
  done_so_far="$done_so_far#"
  printf '[%-6s] %s warmed\\n' "$done_so_far" "$part"
done
echo Release {{ release }} is live`;

const SUMMARY = `while read -r name kilobytes _; do
  case $name in
    MemTotal:|MemAvailable:) echo "$name $((kilobytes / 1024)) MB" ;;
  esac
done < /proc/meminfo
df -h / | tail -n 1
echo Nothing left over from release {{ release }}, all good`;

export const helloFleet = {
  name: 'Hello fleet',
  description:
    'Reads facts of every demo server, warms the web servers and sums up on the database server. Changes nothing.',
  targets: '',
  variables: [
    { name: 'release', type: 'string', default: '2026.11', description: 'Printed by the steps. Try another value.' },
  ],
  steps: [
    { key: 'facts', name: 'Read facts', type: 'command', command: FACTS, timeoutSeconds: 30 },
    {
      key: 'roll-out',
      name: 'Warm the caches',
      type: 'command',
      command: ROLL_OUT,
      targets: 'role=web',
      timeoutSeconds: 60,
    },
    { key: 'summary', name: 'Sum up', type: 'command', command: SUMMARY, targets: 'role=db', timeoutSeconds: 30 },
  ],
};

/** Plans for the examples of docs/why-runward.md. */
export const OTHER_PLANS = [
  {
    name: 'Long step',
    description: 'Counts for a minute, so that other runs meet it. Changes nothing.',
    steps: [{ key: 'count', name: 'Count to 60', command: 'for n in $(seq 60); do echo "$n"; sleep 1; done' }],
  },
  {
    name: 'Fails on web-2',
    description: 'The second step fails on web-2, so that its run can be continued. Changes nothing.',
    steps: [
      { key: 'prepare', name: 'Prepare', command: 'echo Prepared' },
      {
        key: 'install',
        name: 'Install',
        command: 'case {{ host.name }} in web-2) echo "No space left on web-2" >&2; exit 1 ;; esac\necho Installed',
      },
    ],
  },
];
