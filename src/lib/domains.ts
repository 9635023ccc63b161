/** Domains of companies' websites. */

/** Returns the host name of a website in lowercase, without a trailing dot, or undefined if there is none. */
export function hostOfWebsite(website: string | null): string | undefined {
  const host = website === null ? undefined : URL.parse(website)?.hostname
  return host?.replace(/\.$/, '')
}

/**
 * Returns the domain of a website's host, which is the host without a leading `www.`. Keeps the prefix in hosts such as
 * `www.com`, whose owner does not own `.com`.
 */
export const domainOfHost = (host: string): string => host.replace(/^www\.(?=.*\.)/, '')

/** Returns whether a host is the domain or one of its subdomains. */
export const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

/** Domains at which anyone can have an email address, and which therefore belong to no company on the board. */
const FREE_MAIL = new Set(
  `126.com 163.com aliyun.com aol.com arcor.de att.net bluewin.ch bt.com comcast.net docomo.ne.jp duck.com fastmail.com
  fastmail.fm free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.co.uk
  hotmail.com hotmail.de hotmail.es hotmail.fr hushmail.com icloud.com inbox.lv inbox.ru laposte.net libero.it list.ru
  live.com live.fr mac.com mail.com mail.de mail.ru mailbox.org me.com msn.com naver.com neuf.fr o2.pl online.de
  orange.fr outlook.com outlook.de outlook.es outlook.fr pm.me posteo.de proton.me protonmail.com qq.com rediffmail.com
  rocketmail.com seznam.cz sfr.fr sina.com t-online.de telefonica.net terra.es tuta.com tutanota.com verizon.net
  virgilio.it wanadoo.fr web.de wp.pl yahoo.co.jp yahoo.co.uk yahoo.com yahoo.de yahoo.es yahoo.fr yandex.com
  yandex.ru ymail.com zoho.com`.split(/\s+/),
)

export const isFreeMail = (domain: string): boolean => FREE_MAIL.has(domain)
