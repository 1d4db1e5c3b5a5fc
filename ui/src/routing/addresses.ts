import type { Search } from './search.ts';

// The types of links and locations, derived from the tables of addresses that the page adds: this folder does
// not depend on any screen.

/** What the router needs to know about an address. `$name` in its pattern is a parameter. */
export interface RoutedAddress {
  /** Parses the search string, omitting invalid values. */
  readonly search?: (search: Search) => Search;
}

/**
 * The tables of the page. The page adds the members `addresses` and `shortcuts` in a declaration beside them.
 * @public
 */
export interface PageTables {}

type Addresses = PageTables['addresses'];

/** The name of an address: its pattern in the page's table. */
export type AddressName = keyof Addresses;

/** Valid link targets. */
export type LinkName = AddressName | keyof PageTables['shortcuts'];

/** The parameters of an address, as they are between the slashes. */
export type ParamsOf<Name extends string> = Name extends `${string}$${infer Param}/${infer Rest}`
  ? { readonly [Key in Param]: string } & ParamsOf<Rest>
  : Name extends `${string}$${infer Param}`
    ? { readonly [Key in Param]: string }
    : Readonly<Record<never, string>>;

/** The search parameters of an address. */
export type SearchOf<Name extends string> = Name extends AddressName
  ? Addresses[Name] extends { readonly search: (search: Search) => infer Read }
    ? Read
    : Record<string, never>
  : Record<string, never>;

type ParamsMember<Name extends LinkName> = Name extends `${string}$${string}`
  ? { readonly params: ParamsOf<Name> }
  : { readonly params?: undefined };

/** The target of a link; the search string is empty unless given. */
export type LinkDestination = {
  [Name in LinkName]: { readonly to: Name; readonly search?: SearchOf<Name> } & ParamsMember<Name>;
}[LinkName];

/** A navigation target and its options. */
export type NavigateOptions = {
  [Name in LinkName]: {
    readonly to: Name;
    /** The new search parameters, or a function of the current ones; empty if omitted. */
    readonly search?: SearchOf<Name> | ((old: SearchOf<Name>) => SearchOf<Name>);
  } & ParamsMember<Name>;
}[LinkName] & {
  /** Replaces the current history entry. */
  readonly replace?: boolean;
  /** Navigates even if the user would lose unsaved input. */
  readonly ignoreBlocker?: boolean;
  /** The old screen is no longer valid: it is removed before the new one is loaded. */
  readonly isImmediate?: boolean;
};
