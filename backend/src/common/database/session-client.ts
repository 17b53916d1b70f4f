import { Client, type ClientConfig } from 'pg';

/** Settings of a database session by name. */
export type SessionSettings = Readonly<Record<string, string | number>>;

export interface SessionConfig extends ClientConfig {
  session?: SessionSettings;
}

/**
 * A connection whose session has its settings before it is used. They are set by a statement, since poolers refuse
 * start-up parameters that they do not know.
 */
export class SessionClient extends Client {
  private readonly settings: string;

  constructor(config: SessionConfig = {}) {
    super(config);
    const { escapeLiteral } = this;
    const all = Object.entries(config.session ?? {});
    this.settings = all
      .map(([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(String(value))}, false)`)
      .join(', ');
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | void {
    const open = this.open();
    if (!callback) return open;
    open.then(
      () => callback(null),
      (error: Error) => callback(error),
    );
  }

  private async open(): Promise<this> {
    await super.connect();
    if (this.settings === '') return this;
    try {
      await super.query(`select ${this.settings}`);
    } catch (error) {
      await super.end().catch(() => undefined);
      throw error;
    }
    return this;
  }
}
