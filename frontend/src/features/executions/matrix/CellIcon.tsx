import type { Icon } from '@tabler/icons-react';
import statusClasses from '../../../ui/status/status.module.css';
import { CELL_ICONS } from './cell-style';
import classes from './matrix.module.css';

const idOf = (icon: Icon): string => `cell-icon-${CELL_ICONS.indexOf(icon)}`;

/** Drawings of all icons, once for the whole grid. */
export const CellIcons = () => (
  <svg className={classes.drawings} aria-hidden>
    {CELL_ICONS.map((Glyph) => (
      <symbol key={idOf(Glyph)} id={idOf(Glyph)}>
        <Glyph size={15} stroke={2.2} />
      </symbol>
    ))}
  </svg>
);

/** Refers to a drawing of `CellIcons`: thousands of copies of its paths would slow down scrolling. */
export const CellIcon = ({ icon, spinning }: { icon: Icon; spinning: boolean }) => (
  <svg className={`${classes.icon} ${spinning ? statusClasses.spinning : ''}`} aria-hidden>
    <use href={`#${idOf(icon)}`} />
  </svg>
);
