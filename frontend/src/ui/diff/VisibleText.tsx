import classes from './diff.module.css';
import { visibleParts } from './visible-text';

export function VisibleText({ text }: { text: string }) {
  return (
    <bdi>
      {visibleParts(text).map((part, index) =>
        part.hidden === null ? (
          <span key={index}>{part.text}</span>
        ) : (
          <mark key={index} className={classes.hidden} title={part.hidden}>
            {part.text}
          </mark>
        ),
      )}
    </bdi>
  );
}
