/**
 * Runs other tools for the same job on the same fleet. All use curve25519 for the key exchange, for a fair comparison.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param job `{ upload, command, lines }`: text of a file to store on each host first (undefined: none), the command,
 *   and the number of lines that the command prints
 * @returns installed tools: `{ name, run, after }`; `after` removes leftovers of a run and is not measured
 */
export function makePeers({ folder, fleet, addresses, key }, job) {
  const place = join(folder, `peers-${job.name}`);
  mkdirSync(place);
  const write = (name, text, mode = 0o600) => {
    writeFileSync(join(place, name), text, { mode });
    return join(place, name);
  };
  const identity = write('id', key.privateKey);
  const knownHosts = write(
    'known_hosts',
    addresses.map((host) => `[${host}]:${fleet.port} ${fleet.hostKey.type} ${fleet.hostKey.publicKey}\n`).join(''),
  );
  const list = write('hosts', `${addresses.join('\n')}\n`);
  const config = write(
    'ssh_config',
    `Host *\n  User ${fleet.user}\n  Port ${fleet.port}\n  IdentityFile ${identity}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${knownHosts}\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  UpdateHostKeys no\n  GSSAPIAuthentication no\n  BatchMode yes\n  LogLevel ERROR\n  KexAlgorithms curve25519-sha256\n`,
  );
  const upload = job.upload ? write('upload', job.upload, 0o644) : null;
  const uploaded = '/tmp/runward-bench-peer';
  const controlPaths = join(place, 'cp');
  const all = {
    'plain ssh2': () =>
      ended(process.execPath, [join(import.meta.dirname, 'plain-ssh2-process.mjs')], {
        input: JSON.stringify({
          ...job,
          addresses,
          port: fleet.port,
          user: fleet.user,
          privateKey: key.privateKey,
          hostKey: fleet.hostKey.publicKey,
        }),
      }),
    clush: async () => {
      const options = ['-q', '-S', '-f', '64', '-o', `-F ${config}`, '--hostfile', list];
      if (upload) await ended('clush', [...options, '--copy', upload, '--dest', uploaded]);
      await ended('clush', [...options, job.command]);
    },
    pdsh: async () => {
      if (upload) throw new Error('pdsh cannot copy files.');
      const env = { ...process.env, PDSH_SSH_ARGS_APPEND: `-F ${config}` };
      await ended('pdsh', ['-S', '-R', 'ssh', '-f', '32', '-w', `^${list}`, job.command], { env });
    },
    ansible: async () => {
      const tasks = [
        ...(upload ? [{ 'ansible.builtin.copy': { src: upload, dest: `${uploaded}-{{ inventory_hostname }}` } }] : []),
        { 'ansible.builtin.shell': job.command },
      ];
      const playbook = write('playbook.json', JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]));
      const env = {
        ...process.env,
        HOME: place,
        ANSIBLE_FORKS: '50',
        ANSIBLE_PIPELINING: 'True',
        ANSIBLE_SSH_ARGS: `-F ${config} -o ControlMaster=auto -o ControlPersist=60s`,
        ANSIBLE_SSH_CONTROL_PATH_DIR: controlPaths,
        ANSIBLE_LOCAL_TEMP: join(place, 'local'),
        ANSIBLE_PYTHON_INTERPRETER: '/usr/bin/python3',
        LC_ALL: 'C.UTF-8',
      };
      // Printing the output of each host is part of the job.
      await ended('ansible-playbook', [...(job.lines > 0 ? ['-v'] : []), '-i', list, playbook], { env });
    },
  };
  const after = {
    ansible: async () => {
      // Ansible keeps its connections open for a minute. They would save connecting in the next round.
      for (const host of addresses)
        await ended('ssh', ['-F', config, '-o', `ControlPath=${controlPaths}/%C`, '-O', 'exit', host], {
          mayFail: true,
        });
    },
  };
  const program = { 'plain ssh2': process.execPath, clush: 'clush', pdsh: 'pdsh', ansible: 'ansible-playbook' };
  chmodSync(place, 0o700);
  return Object.entries(all)
    .filter(([name]) => isInstalled(program[name]) && !(name === 'pdsh' && upload))
    .map(([name, run]) => ({ name, run, after: after[name] ?? (async () => undefined) }));
}

function isInstalled(program) {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function ended(program, args, { env = process.env, input = '', mayFail = false } = {}) {
  const child = spawn(program, args, {
    env,
    stdio: [input ? 'pipe' : 'ignore', 'ignore', mayFail ? 'ignore' : 'inherit'],
  });
  child.stdin?.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0 && !mayFail) throw new Error(`${program} ended with code ${code}.`);
}
