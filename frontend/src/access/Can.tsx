import { Tooltip } from '@mantine/core';
import { cloneElement, type ReactElement } from 'react';
import type { Role } from '../api/types';
import { useRefusal } from './useRefusal';

interface Props {
  role: Role;
  /** Environment in which the member also needs the grant “run”; null or absent = none. */
  environmentId?: string | null;
  /** Reason to disable the control for members who have the role; null = enabled. */
  unless?: string | null;
  children: ReactElement<{
    disabled?: boolean;
    'data-disabled'?: boolean;
    'aria-disabled'?: boolean;
    onClick?: unknown;
    href?: string;
  }>;
}

const refuse = (event: { preventDefault(): void }) => event.preventDefault();

/**
 * Disables the control for members without the role or grant. It stays visible. On hover and focus it shows the reason,
 * and who can do it instead.
 */
export function Can({ role, environmentId = null, unless = null, children }: Props) {
  const reason = useRefusal(role, environmentId) ?? unless;
  if (reason === null) return children;
  // With `data-disabled` the control looks disabled but stays focusable, so that keyboard users can read the reason
  // too.
  return (
    <Tooltip label={reason} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {cloneElement(children, { 'data-disabled': true, 'aria-disabled': true, onClick: refuse })}
    </Tooltip>
  );
}
