// A vending machine that forgets to clear the credit.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 31197
// transitions: 54673
//
// After giving change the machine still believes that the coins are there.
// Cancel once more, and they come out again. The customer here walks away as
// soon as there is a profit, for otherwise it would have no limit; the machine
// may then be left with a full tray, which is a deadlock as well.

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
    :: panel?coin ->
       if
       :: credit < COINS -> credit++
       :: else                          // full: the coin is swallowed
       fi
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
          tray!change, credit           // and credit = 0?
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
       assert(purse + PRICE * sold <= COINS);
       if
       :: purse + PRICE * sold > COINS -> break
       :: else
       fi
    od
}
