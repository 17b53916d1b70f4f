import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import { getConfigPath, readConfig, removeConfig } from '../../config/config-file.ts';
import { parseServiceUrl } from '../../config/service-url.ts';
import { fixedTokenCredential } from '../../config/token.ts';
import {
  type CommonOptions,
  createConnectionOptions,
  type Context,
  addSubcommand,
  createOutput,
  DEFAULT_RETRY_FOR_MS,
  createSession,
} from '../command.ts';

export function addLogout(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'logout', 'Delete the stored address and token').option(
    '--revoke',
    'end the token at the service too',
  );
  command.action(async () => {
    const options = command.opts<CommonOptions & { revoke?: boolean }>();
    const out = await createOutput(context, options);
    if (options.revoke) {
      const kept = await readConfig(context.surroundings);
      if (kept !== null) {
        out.secrets.add(kept.token);
        const base = parseServiceUrl(kept.url, getConfigPath(context.surroundings));
        const rest = createConnectionOptions(out, options, DEFAULT_RETRY_FOR_MS);
        const { api } = createSession(context, out, { ...rest, base, credential: fixedTokenCredential(kept.token) });
        const { token } = await requireAnswer(api.GET('/api/auth/me'));
        if (token !== null) await requireAnswer(api.DELETE('/api/tokens/{id}', { params: { path: { id: token.id } } }));
      }
    }
    const was = await removeConfig(context.surroundings);
    if (out.isStructured) return out.record({ signedOut: was });
    out.note(was ? 'Signed out.' : 'You were not signed in.');
  });
}
