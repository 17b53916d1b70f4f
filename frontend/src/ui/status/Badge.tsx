import type { Icon } from '@tabler/icons-react';
import classes from './status.module.css';
import type { Tone } from './statuses';

export function Badge({ tone, icon: Glyph, children }: { tone: Tone; icon: Icon; children: string }) {
  return (
    <span className={`${classes.badge} ${classes[tone]}`}>
      <Glyph size={14} stroke={2.2} aria-hidden />
      {children}
    </span>
  );
}
