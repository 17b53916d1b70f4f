import type { ProblemKind } from './problem-kind.js';

export const INVENTORY_PROBLEMS = {
  count_changed: {
    status: 409,
    title: 'Number of servers changed',
    meaning: 'The filter now matches a different number of servers than `expectedCount`. Nothing was changed.',
    advice: 'List the servers again, and send the current number.',
  },
  duplicate_address: {
    status: 409,
    title: 'Duplicate address',
    meaning:
      'The environment already has a server with the same address, port and login, or a run would use one machine twice.',
    advice: 'Use that server, or change or disable one of the two.',
  },
  same_host_key: {
    status: 409,
    title: 'One machine under two names',
    meaning:
      'Two servers of the run have the same pinned host key and the same login, so the run would use one machine twice. Nothing was started.',
    advice:
      'Select one server of each pair in `detail`, or delete or disable the other. For cloned machines: create a host key for each, or ask an admin to mark the key as shared by several machines.',
  },
  duplicate_external_id: {
    status: 409,
    title: 'External ID taken',
    meaning: 'The tenant already has a server with the same source and external ID.',
    advice: 'Use that server, or another ID.',
  },
  jump_path: {
    status: 409,
    title: 'Invalid jump path',
    meaning: 'The server would be its own jump server, or its jump path would be too long.',
    advice: 'Choose another jump server, or change the jump path of the jump server.',
  },
  host_key_not_pinned: {
    status: 409,
    title: 'Host key not accepted',
    meaning: 'The server has no accepted host key.',
    advice: 'Check the server, then accept the host key that the check reports.',
  },
  host_key_not_seen: {
    status: 409,
    title: 'Host key not seen',
    meaning: 'The fingerprint is not that of the key that the last check saw, or of a known certificate authority.',
    advice: 'Check the server again, and compare the fingerprint with the one on the host.',
  },
  not_a_preview: {
    status: 409,
    title: 'Not a preview',
    meaning: 'Only a preview of an import that found no problems can be applied.',
    advice: 'Request a new preview and apply it.',
  },
  no_hosts_waiting: {
    status: 409,
    title: 'No hosts waiting',
    meaning: 'None of the requested hosts of the rotation is in a state that accepts this decision.',
    advice: 'List the hosts of the rotation, and choose hosts that failed.',
  },
  nothing_to_rotate: {
    status: 409,
    title: 'Nothing to rotate',
    meaning: 'No server uses this SSH key.',
    advice: 'Create a new SSH key, and delete this one.',
  },
  rotation_open: {
    status: 409,
    title: 'Rotation not finished',
    meaning: 'A rotation that uses this key as its old or new key has not ended. `referrers` lists it.',
    advice: 'Retry or give up the remaining hosts of that rotation, then start the next one.',
  },
  nothing_to_retry: {
    status: 409,
    title: 'Nothing to retry',
    meaning: 'The requested hosts did not fail at this step, or have continued since.',
    advice: 'Omit `serverIds`, or send hosts that failed.',
  },
  host_proved_elsewhere: {
    status: 409,
    title: 'Host of another environment',
    meaning:
      'A server would protect a host for a protected environment, but Runward already signed in to that host for a server of another environment. Nothing was changed. `otherServers` lists those that you can see.',
    advice:
      'Register another host, or ask an admin to confirm with `confirmHosts` that the host belongs to the protected environment. If several machines share the address, an admin can mark it as shared.',
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
      'By its address or host key, a target is a server of another, protected environment. Only approved runs of that environment may use it. `otherServers` lists those that you can see.',
    advice:
      'Run the plan in that environment. If several machines share the address on different ports, an admin can mark it as shared.',
  },
  secret_too_short: {
    status: 409,
    title: 'Secret too short',
    meaning: 'A secret in the snapshot of the earlier run is too short to be masked in output.',
    advice: 'Make the secret longer, then rerun with `snapshot: current`.',
  },
  servers_refused: {
    status: 409,
    title: 'Some servers refused',
    meaning:
      'Some of the servers cannot be changed like this. `refusals` lists the first of them, each with a reason. Nothing was changed.',
    advice: 'Exclude those servers, or send `partial: true` to change only the remaining ones.',
  },
  too_many_servers: {
    status: 409,
    title: 'Too many servers',
    meaning: 'The filter matches more servers than one request may change.',
    advice: 'Narrow the filter.',
  },
  too_many_shared_addresses: {
    status: 409,
    title: 'Too many shared addresses',
    meaning: 'The tenant has reached its limit of shared addresses.',
    advice: 'Remove the mark of an address that is no longer in use.',
  },
  too_many_variables: {
    status: 409,
    title: 'Too many variables',
    meaning: 'The environment or server has reached its limit of variables.',
    advice: 'Delete a variable first.',
  },
} as const satisfies Record<string, ProblemKind>;
