"""Words by which a text of several sentences is read: what is no object, who is a person."""

from __future__ import annotations

from captious.text.stop_words import word_list

# The picture itself, places in it, and those who look at it.
_PICTURE = word_list(
    "image photo photograph picture snapshot shot scene view viewer observer composition "
    "perspective angle camera lens focus foreground background backdrop canvas portrait depiction "
    "description caption photographer vantage viewpoint panorama tableau vignette narrative story left "
    "right side center centre middle top bottom corner edge end front back rear distance part portion "
    "section position point place spot direction location placement arrangement layout height level "
    "length width size shape form row number variety array series range collection assortment pair "
    "group set bit lot couple kind type sort example piece one other rest majority"
)
# What is felt, meant or supposed and cannot be pointed at.
_ABSTRACT = word_list(
    "sense feeling feel mood atmosphere ambiance ambience aura air vibe spirit tone touch hint splash "
    "pop element detail feature aspect addition contrast balance harmony blend mix mixture combination "
    "backdrop depth dimension beauty charm elegance grace grandeur allure appeal simplicity tranquility "
    "serenity calm calmness peace quiet solitude warmth vibrancy energy life liveliness movement motion "
    "action activity dynamism moment time day instant event occasion journey adventure thrill "
    "excitement anticipation joy happiness fun concentration determination intensity contentment "
    "relaxation readiness curiosity mystery intrigue interest attention gaze presence testament symbol "
    "reminder glimpse slice interplay dance symphony play spectacle display show star theme style "
    "design pattern texture color colour hue shade tint palette tapestry character nature environment "
    "setting surroundings context area space world realm scale sight impression effect essence purpose "
    "use function history culture tradition architecture lighting daylight sunlight glow "
    "brightness illumination clarity visibility angle orientation pose posture stance expression manner "
    "way fashion order chaos hustle bustle routine work task job game sport match competition skill "
    "technique power strength speed freedom nostalgia comfort coziness luxury opulence sophistication "
    "modernity industry progress connection relationship bond friendship companionship camaraderie "
    "interaction conversation communication message meaning idea concept thought memory imagination "
    "dream possibility potential opportunity challenge conclusion indication evidence clue information "
    "fact case question answer reason result start beginning preparation process midst heart center "
    "distance proximity passage flow rhythm pace stillness silence sound noise hum scent aroma smell "
    "taste weather season summer winter spring autumn fall morning afternoon evening night dusk dawn "
    "today daytime hour minute while thing something anything everything nothing what who which that "
    "none each wonder delight splendor majesty majestic vitality dynamic nod homage commitment "
    "dedication passion love care respect pride confidence authority command control vastness openness "
    "expanse endurance resilience fragility innocence playfulness whimsy magic fantasy romance drama "
    "tension suspense danger safety security health youth age maturity wisdom knowledge experience "
    "expertise talent creativity artistry craftsmanship quality quantity rest break pause exploration "
    "discovery travel trip visit stroll walk ride flight jump leap run shades"
)
_OTHER = word_list(
    "object subject content overhead centerpiece sentinel stage standing stand paint dotted towering"
)

COLOURS = word_list(
    "white black red blue green yellow orange pink purple brown grey gray silver golden beige turquoise "
    "teal tan maroon navy violet cream crimson lavender magenta"
)
# Before a colour they are part of it: "light blue".
DEGREES = word_list("light dark deep bright pale")
MATERIALS = word_list(
    "stone brick wood wooden metal glass concrete marble leather plastic steel cobblestone tile snow grass"
)
CLOTHES = word_list(
    "shirt t-shirt jacket coat pants trousers jeans jean pant short shorts dress skirt suit tie hat cap "
    "helmet glove gloves shoe boot sneaker sock scarf sweater hoodie vest uniform jersey attire outfit "
    "robe sandal sunglasses glasses goggles beanie apron blouse gown bikini swimsuit wetsuit belt watch "
    "necklace mask bracelet sari tunic costume clothing clothes gear blazer cardigan headband kimono"
)

# Endings of nouns for what is no thing, and things whose names end so.
ABSTRACT_ENDINGS = (
    *("ing", "ness", "ity", "tion", "sion", "ment", "ance", "ence"),
    *("ship", "ism", "hood", "cy", "dom"),
)
THINGS = word_list(
    "station city university facility pavement monument apartment building garment ornament instrument "
    "equipment plantation vegetation fence ambulance audience entrance ship spaceship advertisement "
    "basement document embankment intersection television fountain ornamentation decoration painting "
    "ceiling clothing railing string awning swing paving siding flooring earring icing stocking wiring "
    "mansion condiment cement tenement fragment appliance residence pharmacy agency embassy"
)

# Whose phrase says how many or how arranged: "a group of people" are people.
COLLECTIVE = word_list(
    "group line row cluster pair pile stack bunch herd flock crowd collection set trio team string "
    "series patch couple dozen fleet bundle stretch"
)
# Whose phrase adds nothing: "a body of water" is water.
FORMS = word_list(
    "body piece expanse array variety assortment range kind type sort form number majority multitude "
    "blanket sea carpet canopy touch splash hint pop bit lot plethora mix mixture blend bed shade tone "
    "tapestry sliver layer host mass wave lots plenty dozens hundreds"
)

# Verbs of what is concluded, and prepositions of comparison: what follows is not in the picture.
CONCLUDING = word_list(
    "suggest indicate imply hint evoke convey symbolise symbolize signify invite remind imagine "
    "suggests mean seem appear represent embody express exude testify encapsulate"
)
COMPARING = word_list("like as than unlike despite without except")
# Participles after a comma that begin a remark on the effect.
REMARKS = word_list(
    "adding creating suggesting indicating giving contributing making evoking hinting inviting "
    "enhancing lending providing offering implying conveying emphasizing emphasising highlighting "
    "capturing showcasing drawing allowing symbolizing symbolising bringing complementing contrasting "
    "completing setting"
)

WEARING = word_list("wear sport don dress clothe clad attire garb outfit")
# Passive with "with": "a hill dotted with flowers" is flowers that dot a hill.
COVERING = word_list(
    "adorn dot cover decorate line fill surround pepper speckle sprinkle blanket cloak litter embellish "
    "top fringe border frame flank punctuate"
)
HAVING = word_list("feature boast possess equip sport bear")
# Verbs that say nothing that can be seen of their subject and object.
EMPTY_VERBS = word_list(
    "add create contribute enhance lend give provide offer draw capture make complement contrast "
    "feature show depict portray present serve bring become include suggest evoke convey indicate catch "
    "dominate set exude emphasise emphasize highlight juxtapose belong seem appear let allow help"
)
NO_OBJECTS = _PICTURE | _ABSTRACT | _OTHER | EMPTY_VERBS | CONCLUDING
NO_OBJECTS_ALONE = word_list("light frame")  # but a traffic light, a window frame

MALE = word_list("man boy guy gentleman father son groom king waiter businessman policeman fisherman dad")
FEMALE = word_list("woman girl lady mother daughter bride queen waitress businesswoman mom")
PEOPLE = (
    MALE
    | FEMALE
    | word_list(
        "person child kid baby toddler player skier surfer skateboarder snowboarder rider cyclist biker "
        "batter pitcher catcher umpire individual adult teenager worker chef officer soldier athlete "
        "performer musician driver passenger pedestrian tourist student teacher vendor figure swimmer "
        "runner dancer singer artist motorcyclist jockey cowboy referee coach friend couple spectator"
    )
)
_ANIMALS = word_list("dog cat horse cow bird bear elephant giraffe zebra sheep puppy kitten duck goat")
WEARERS = PEOPLE | _ANIMALS

# Words for what was named before: "the animal" after "a giraffe".
GENERIC = word_list(
    "animal creature feline canine bird vehicle structure duo trio pair individual person figure "
    "subject object athlete item"
)
VAGUE = word_list(
    "various other several overall entire main central own such same different certain many few more "
    "most multiple numerous focal primary key potential possible likely individual additional further "
    "visible discernible prominent first second third another next last particular specific less single "
    "only"
)
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED, start=1)}
