import { generateKeyPair } from '../../../backend/dist/transport/keys/key-material.js';

/**
 * Registers servers by SQL, with tags, facts and a pinned host key, all in one environment.
 * @param hosts `{ port, username, hostKey, privateKey }` of hosts on loopback; null = unreachable servers
 */
export async function storeServers(bench, count, hosts = null) {
  const privateKey = hosts?.privateKey ?? (await generateKeyPair({ type: 'ed25519', comment: 'bench' })).privateKey;
  const { id: environmentId } = await bench.send('POST', '/api/environments', { name: 'bench' });
  const { id: sshKeyId } = await bench.send('POST', '/api/ssh-keys', { name: 'bench', privateKey });
  for (let from = 1; from <= count; from += 500) {
    await bench.sql(
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, host_key, tags, facts,
          facts_at)
        select gen_random_uuid(), $1, $2, 'server-' || n, '127.1.' || (n / 250) || '.' || (n % 250 + 1), $4, $5, $3,
            coalesce($6::jsonb, jsonb_build_object('type', 'ssh-ed25519', 'publicKey', repeat('A', 68), 'fingerprint',
              'SHA256:' || md5(n::text))),
            jsonb_build_object('role', 'role-' || n % 10, 'site', 'site-' || n % 7, 'number', n::text),
            jsonb_build_object('os', 'os-' || n % 4, 'osVersion', '12', 'kernel', 'Linux', 'kernelVersion', '6.1.0-' || n % 9,
              'arch', 'x86_64', 'cpus', n % 8 + 1, 'memoryMb', 8000, 'diskFreeMb', n, 'init', 'systemd',
              'hostname', 'server-' || n, 'pythonVersion', '3.11.2'), now()
          from generate_series($7::int, $8::int) n`,
      [
        bench.tenantId,
        environmentId,
        sshKeyId,
        hosts?.port ?? 22,
        hosts?.username ?? 'deploy',
        hosts ? JSON.stringify(hosts.hostKey) : null,
        from,
        Math.min(count, from + 499),
      ],
    );
    // Autovacuum would do this later.
    if (from === 1) await bench.sql('analyze');
  }
  await bench.sql('vacuum analyze');
  return { environmentId, sshKeyId };
}
