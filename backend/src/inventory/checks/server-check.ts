import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ServerContacts } from './server-contact.js';
import type { ServerView } from '../servers.view.js';

@Injectable()
export class ServerChecker {
  constructor(private readonly contacts: ServerContacts) {}

  /** @throws Problem 404; 403 `grant_required` */
  async check(caller: Principal, id: string): Promise<ServerView> {
    const contact = await this.contacts.loadContact(caller, id);
    return this.contacts.storeFinding(caller, contact, await this.contacts.contactHost(contact), 'server.check');
  }
}
