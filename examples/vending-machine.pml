// A vending machine that takes coins, sells drinks and gives change.
// expect: holds
// states: 864
// transitions: 1625
// ltl pay_first: holds
// ltl credit_small: holds
//
// The customer puts in coins, presses the button or cancels, in any order, and
// takes what lies in the tray. No drink comes out before the price is paid
// (`pay_first`, with weak until), and nobody gets rich: the coins in the purse
// and the price of the drinks sold are never worth more than the first purse.
//
// `credit` is an unsigned number of three bits. The second formula looks at a
// local variable of the customer: `customer:drinks`.

#define COINS 3
#define PRICE 2

mtype = { coin, button, cancel, drink, change };

chan panel = [0] of { mtype };
chan tray = [COINS] of { mtype, byte };

unsigned credit : 3;
byte purse = COINS;
byte sold;

active proctype machine()
{
end:
    do
    :: panel?coin -> credit++
    :: panel?button ->
       if
       :: credit >= PRICE ->
          credit = credit - PRICE;
          sold++;
          tray!drink, 1
       :: else
       fi
    :: panel?cancel ->
       if
       :: credit > 0 ->
          tray!change, credit;
          credit = 0
       :: else
       fi
    od
}

active proctype customer()
{
    byte n, drinks;

    do
    :: purse > 0 -> purse--; panel!coin
    :: panel!button
    :: panel!cancel
    :: tray?drink, n -> drinks = drinks + n
    :: tray?change, n ->
       purse = purse + n;
       printf("the purse holds %d coins\n", purse);
       assert(purse + PRICE * sold <= COINS)
    od
}

ltl pay_first { (sold == 0) W (credit >= PRICE) }
ltl credit_small { [] (credit <= COINS && customer:drinks <= 1) }
