import type { ProblemKind } from './problem-kind.js';

/** Problems of servers, their keys and their variables. */
export const INVENTORY_PROBLEMS = {
  count_changed: {
    status: 409,
    title: 'Another number of servers',
    meaning: 'The request means another number of servers now than its `expectedCount`. Nothing was changed.',
    advice: 'Look at the servers again, and send the number that you see.',
  },
  duplicate_address: {
    status: 409,
    title: 'Machine there already',
    meaning:
      'The environment has a server with the same address, port and login, or a run would work twice on one machine.',
    advice: 'Use that server, or change or switch off one of the two.',
  },
  same_host_key: {
    status: 409,
    title: 'One machine under two names',
    meaning:
      'Servers that a run would work on have a pinned host key and the login in common, so the run would work twice on one machine. Nothing was started.',
    advice:
      'Select one of each pair that `detail` names, or delete or switch off the other. Copies with one key: give each its own, or have an admin mark the key as shared by several machines.',
  },
  duplicate_external_id: {
    status: 409,
    title: 'External id taken',
    meaning: 'The tenant has a server with the same source and external id.',
    advice: 'Use that server, or another id.',
  },
  jump_path: {
    status: 409,
    title: 'No way through the jump server',
    meaning: 'A server would be reached through itself, or through more jump servers than a path may have.',
    advice: 'Choose another jump server, or change what the jump server itself is reached through.',
  },
  host_key_not_pinned: {
    status: 409,
    title: 'Host key not accepted',
    meaning: 'The server has no accepted host key.',
    advice: 'Check the server and accept the key that it shows first.',
  },
  host_key_not_seen: {
    status: 409,
    title: 'Host key not seen',
    meaning: 'The fingerprint is not the one that the last check of the server saw.',
    advice: "Check the server again and compare the fingerprint with the host's own.",
  },
  not_a_preview: {
    status: 409,
    title: 'No preview',
    meaning: 'Only the preview of an import that found nothing against it can be applied.',
    advice: 'Ask for a new preview and apply that.',
  },
  no_hosts_waiting: {
    status: 409,
    title: 'No hosts waiting',
    meaning: 'None of the hosts of the rotation that the request means is in a state in which this can be decided.',
    advice: 'List the hosts of the rotation and choose among those that failed.',
  },
  nothing_to_rotate: {
    status: 409,
    title: 'Nothing to rotate',
    meaning: 'No server signs in with the key.',
    advice: 'Make a new key, and delete this one.',
  },
  rotation_open: {
    status: 409,
    title: 'Rotation open',
    meaning:
      'A rotation that the key takes part in, as the old key or the new one, is still open; `referrers` names it.',
    advice: 'Retry or give up the hosts that it waits for, then begin the next one.',
  },
  nothing_to_retry: {
    status: 409,
    title: 'Nothing to retry',
    meaning: 'The hosts that are named did not fail at this step, or have gone on since.',
    advice: 'Leave `serverIds` out, or name hosts that failed.',
  },
  host_proved_elsewhere: {
    status: 409,
    title: 'Host of another environment',
    meaning:
      'A server would protect a host in a protected environment, and Runward already signed in to that host for a server in another environment. Nothing was changed. `otherServers` names those that the caller may see.',
    advice:
      'Register another host, or ask an admin: `confirmHosts` confirms that the host belongs to the protected environment. An address that several machines share can be marked as shared.',
  },
  not_protected: {
    status: 409,
    title: 'Environment not protected',
    meaning: 'The environment of the server is not protected, so its servers protect no hosts.',
    advice: 'Protect the environment first.',
  },
  protected_host: {
    status: 409,
    title: 'Protected host',
    meaning:
      'A target is, by its address or host key, a server of another, protected environment, which is reached by approved runs only. `otherServers` names those that the caller may see.',
    advice:
      'Run the plan in that environment. If several machines share the address by their ports, an admin can mark it as shared.',
  },
  secret_too_short: {
    status: 409,
    title: 'Secret too short',
    meaning: 'A secret that the earlier run froze is too short to be masked in output.',
    advice: 'Rerun with `snapshot: current`, after the secret was made longer.',
  },
  servers_refused: {
    status: 409,
    title: 'Some servers refused',
    meaning:
      'Of the servers that were to be changed together some can not be; `refusals` names the first of them with a code and a sentence each. Nothing was changed.',
    advice: 'Leave those out, or send `partial: true` to change the others.',
  },
  too_many_servers: {
    status: 409,
    title: 'Too many servers',
    meaning: 'More servers fit the filter than one request may change.',
    advice: 'Narrow the filter.',
  },
  too_many_shared_addresses: {
    status: 409,
    title: 'Too many shared addresses',
    meaning: 'As many addresses are marked as shared by several machines as may be.',
    advice: 'Remove the mark of one that is not in use any more.',
  },
  too_many_variables: {
    status: 409,
    title: 'Too many variables',
    meaning: 'The environment or the server has as many variables as it may have.',
    advice: 'Delete one first.',
  },
} as const satisfies Record<string, ProblemKind>;
