import type { Command } from 'commander';
import { answerOf } from '../../client/api.ts';
import { configPath, readConfig, removeConfig } from '../../config/config-file.ts';
import { serviceUrl } from '../../config/service-url.ts';
import { fixedTokenCredential } from '../../config/token.ts';
import {
  type CommonOptions,
  commonConnectionOptions,
  type Context,
  leaf,
  outputOf,
  PATIENCE_MS,
  createSession,
} from '../command.ts';

export function addLogout(parent: Command, context: Context): void {
  const command = leaf(parent, 'logout', 'Delete the stored address and token').option(
    '--revoke',
    'end the token at the service too',
  );
  command.action(async () => {
    const options = command.opts<CommonOptions & { revoke?: boolean }>();
    const out = outputOf(context, options);
    if (options.revoke) {
      const kept = await readConfig(context.surroundings);
      if (kept !== null) {
        out.secrets.add(kept.token);
        const base = serviceUrl(kept.url, configPath(context.surroundings));
        const rest = commonConnectionOptions(out, options, PATIENCE_MS);
        const { api } = createSession(context, out, { ...rest, base, credential: fixedTokenCredential(kept.token) });
        const { token } = await answerOf(api.GET('/api/auth/me'));
        if (token !== null) await answerOf(api.DELETE('/api/tokens/{id}', { params: { path: { id: token.id } } }));
      }
    }
    const was = await removeConfig(context.surroundings);
    if (out.json) return out.record({ signedOut: was });
    out.note(was ? 'Signed out.' : 'You were not signed in.');
  });
}
