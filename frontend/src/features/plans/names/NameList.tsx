import { useEffect, useRef } from 'react';
import type { Offer } from './offers';
import { optionId } from './useNameOffers';
import classes from './names.module.css';

interface Props {
  id: string;
  offers: readonly Offer[];
  active: number;
  onActive: (index: number) => void;
  onTake: (offer: Offer) => void;
}

/** The names that complete a text; the focus stays in its field. */
export function NameList({ id, offers, active, onActive, onTake }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label="Names"
      className={classes.list}
      // It scrolls, so that it has to be reachable; a press on it leaves the focus in the field all the same.
      tabIndex={0}
      onMouseDown={(event) => event.preventDefault()}
    >
      {offers.map((offer, index) => (
        <li
          key={offer.label}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          className={classes.option}
          onMouseMove={() => onActive(index)}
          onClick={() => onTake(offer)}
        >
          <span className={classes.name}>{offer.label}</span>
          <span className={classes.detail}>{offer.detail}</span>
        </li>
      ))}
    </ul>
  );
}
