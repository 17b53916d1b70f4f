import { Stack, Text } from '@mantine/core';
import type { AuditActor } from '../../api/types';

const KINDS: Record<AuditActor['kind'], string> = {
  user: 'Member',
  system: 'Runward',
  anonymous: 'Not signed in',
};

export function Actor({ actor: { kind, name, tokenPrefix } }: { actor: AuditActor }) {
  return (
    <Stack gap={0}>
      <Text className="rw-wrap-anywhere">{name ?? KINDS[kind]}</Text>
      {(kind !== 'user' || tokenPrefix) && (
        <Text size="xs" c="dimmed">
          {tokenPrefix ? (
            <>
              token <span className="rw-mono">{tokenPrefix}…</span>
            </>
          ) : (
            name !== null && KINDS[kind]
          )}
        </Text>
      )}
    </Stack>
  );
}
