import { Text } from '@mantine/core';
import { SecretOnce } from '../../ui/copy/SecretOnce';

interface Props {
  /** Path of the page, with the secret in its fragment. */
  path: string;
  memberName: string;
  onDone: () => void;
}

/** A one-time link, shown once as the full address. */
export function PasswordLink({ path, memberName, onDone }: Props) {
  return (
    <SecretOnce what="link" value={new URL(path, window.location.origin).href} onDone={onDone}>
      <Text>
        Send it to {memberName} on a way that nobody else reads: whoever opens it first sets the password. It works
        once, for 72 hours; a lost one is replaced by a new one.
      </Text>
    </SecretOnce>
  );
}
