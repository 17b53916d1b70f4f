import { Button, type ButtonProps } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import type { Role } from '../../api/types';

interface Props extends Omit<ButtonProps, 'role' | 'leftSection'> {
  icon: Icon;
  /** Role that the action needs; without it, all members can use the action. */
  role?: Role;
  /** Environment in which the member also needs the grant “run”. */
  environmentId?: string;
  /** Reason to disable the action for members who have the role; null = enabled. */
  unless?: string | null;
  onClick: () => void;
}

/** Button of an action on a page. */
export function ActionButton({ icon: Glyph, role, environmentId, unless, variant = 'default', ...props }: Props) {
  const button = <Button variant={variant} leftSection={<Glyph size={15} aria-hidden />} {...props} />;
  return role === undefined ? (
    button
  ) : (
    <Can role={role} environmentId={environmentId} unless={unless}>
      {button}
    </Can>
  );
}
